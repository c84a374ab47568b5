# What Cormode, Maddock and Maple (PVLDB 2021) say of their Figures 1 to 5 and 11, against the tables of
# configs/vldb2021-*.json. Reads reproduction-vldb-reasons.tsv, then tables, each after figure=N table=NAME; writes the body
# of the agreement page. reproduction-vldb.sh calls it. What each statement is held to is said on the page (rules()).

BEGIN {
    FS = ","
    LIMIT = 4 # standard errors
    name_of["base"] = "Base"
    name_of["base_pos"] = "Base-Pos"
    split("base base_pos", both, " ")
}

# ---- reading ----

# x: what the figure has on its axis.
{
    oracle = $column["oracle"]
    x = figure ~ /b$|c$|^11$/ ? $column["d"] : $column["epsilon"]
    if (figure == "2")
        x = oracle
    if (figure == "4b")
        x = $column["epsilon"]
    if (!((figure, x) in x_seen)) {
        x_seen[figure, x] = 1
        grid[figure, ++nx[figure]] = x
    }
}

table == "mse" {
    key = figure SUBSEP $column["query"] SUBSEP $column["method"] SUBSEP oracle SUBSEP x
    value[key] = $column["mse"]
    error[key] = $column["stderr"]
}

table == "times" {
    n = split("server total", part, " ")
    for (i = 1; i <= n; i++) {
        key = figure SUBSEP part[i] SUBSEP "" SUBSEP oracle SUBSEP x
        value[key] = $column[part[i] "_seconds"]
        error[key] = $column[part[i] "_stderr"]
    }
}

# ---- rows ----

function row(id, figure, what, statement, paper, measured, z, verdict,   i, why, mark) {
    for (i = 1; i <= nreasons; i++) # statement, verdict, text
        if (reason_id[i] == id && reason_data[i] == verdict)
            why = reason_when[i]
    if (why != "") {
        if (!(why in footnote)) {
            footnote[why] = ++nfootnotes
            footnotes[nfootnotes] = why
        }
        mark = " [" footnote[why] "](#note-" footnote[why] ")"
    } else if (verdict == "differs")
        mark = " (reason not known)"
    tally[verdict]++
    printf "| %s | %s | %s | %s | %s | %s | %s%s |\n", figure, what, statement, paper, measured,
        z == "" ? "" : sprintf("%+.1f", z), verdict == "agrees" ? "agrees" : "**" verdict "**", mark
}

# How many standard errors one is above the other.
function z_of(figure, query, m1, o1, m2, o2, x,   a, b, e) {
    a = figure SUBSEP query SUBSEP m1 SUBSEP o1 SUBSEP x
    b = figure SUBSEP query SUBSEP m2 SUBSEP o2 SUBSEP x
    if (!(a in value) || !(b in value)) {
        print "reproduction: no numbers of Figure " figure ", " o1 ", " o2 " at " x > "/dev/stderr"
        exit 1
    }
    e = sqrt(square(error[a]) + square(error[b]))
    return e > 0 ? (value[a] - value[b]) / e : 0
}

function mse(figure, method, oracle, x) { return value[figure, "full_domain", method, oracle, x] }

# Orderings, gathered: begin, add each, then tell.
function begin() {
    npoints = nfor = nagainst = 0
    worst = against_at = ""
}
function add(z, where) {
    npoints++
    nfor += z > LIMIT
    if (z < -LIMIT) {
        nagainst++
        against_at = against_at (against_at == "" ? "" : ", ") where
    }
    worst = worst == "" || z < worst ? z : worst
}
function tell(id, figure, what, statement) {
    row(id, figure, what, statement, "ordering", nfor " of " npoints " for" \
        (nagainst ? ", " nagainst " against (at " against_at ")" : ""), worst,
        nagainst ? "differs" : 2 * nfor >= npoints ? "agrees" : "undecided")
}

# Oracle `high` has the larger error than `low` from x = from to x = to.
function ordering(id, figure, method, high, low, from, to, axis, statement,   i, x) {
    begin()
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        if (x + 0 >= from && x + 0 <= to)
            add(z_of(figure, "full_domain", method, high, method, low, x), axis " = " x)
    }
    tell(id, figure, name_of[method], statement)
}

# Two curves that are said to be one.
function same(id, figure, method, one, other, from, to, axis, statement,   i, x, z, far, at, points, apart) {
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        if (x + 0 < from || x + 0 > to)
            continue
        points++
        z = z_of(figure, "full_domain", method, one, method, other, x)
        far = abs(z) > abs(far) ? z : far
        if (abs(z) > LIMIT) {
            apart++
            at = at (at == "" ? "" : ", ") axis " = " x sprintf(" (%.2f times)", mse(figure, method, one, x) / mse(figure, method, other, x))
        }
    }
    row(id, figure, name_of[method], statement, "same curve", (points - apart) " of " points " within " LIMIT " standard errors" \
        (apart ? "; apart at " at : ""), far, apart ? "differs" : "agrees")
}

# ---- the statements ----

function figure_1(method,   i, x, last, first, z) {
    for (i = 1; i <= nx["1b"]; i++) {
        x = grid["1b", i]
        z = z_of("1b", "full_domain", method, "oue", method, "grr", x)
        if (z > LIMIT)
            last = x
        if (z < -LIMIT && first == "")
            first = x
    }
    row("crossover", "1b", name_of[method], "DE has the smaller error for small d only; it meets OUE at d = 3 e + 2", "62 at ε = 3",
        "DE better up to d = " last ", OUE from d = " first, "", last + 0 < 62 && first + 0 > 62 ? "agrees" : "differs")
    ordering("sue", "1a", method, "sue", "oue", 0, 9, "ε", "OUE has a smaller error than SUE")
    z = mse("1a", method, "sue", 0.5) / mse("1a", method, "oue", 0.5)
    row("close", "1a", name_of[method], "OUE and SUE are close at low ε", "close", sprintf("SUE's error is %.3f of OUE's at ε = 0.5, %.2f at ε = 5", z,
        mse("1a", method, "sue", 5) / mse("1a", method, "oue", 5)), "", z < 1.1 ? "agrees" : "differs")
    ordering("sue-d", "1b", method, "sue", "oue", 0, 1e9, "d", "OUE has a smaller error than SUE")
}

function approach(figure, method, axis,   i, k, n, ks, x) {
    n = split("100 500 1000 5000 10000", ks, " ")
    begin()
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        for (k = 1; k < n; k++)
            add(z_of(figure, "full_domain", method, "flh(k=" ks[k] ")", method, "flh(k=" ks[k + 1] ")", x), axis " = " x \
                ", k' = " ks[k])
        add(z_of(figure, "full_domain", method, "flh(k=10000)", method, "olh", x), axis " = " x ", k' = 10000")
    }
    tell("approach", figure, name_of[method], "FLH approaches OLH from above as k' grows")
}

function figure_3(method,   blh, olh) {
    blh = mse("3a", method, "blh", 2) / mse("3a", method, "blh", 5)
    olh = mse("3a", method, "olh", 2) / mse("3a", method, "olh", 5)
    row("flat", "3a", name_of[method], "BLH's error is flat in ε", "flat", sprintf("falls %.1f times from ε = 2 to 5, OLH's %.0f times", blh, olh), "",
        blh < 2 && olh > 10 ? "agrees" : "differs")
    approach("3a", method, "ε")
    approach("3b", method, "d")
    same("flh", "3a", method, "flh(k=10000)", "olh", 0, 9, "ε", "FLH with k' = 10,000 cannot be told from OLH")
}

function figure_2(method,   r, a, b) {
    a = "2" SUBSEP "full_domain" SUBSEP method SUBSEP "flh(k=10000)" SUBSEP "flh(k=10000)"
    b = "2" SUBSEP "full_domain" SUBSEP method SUBSEP "olh" SUBSEP "olh"
    r = value[a] / value[b]
    row("flh", 2, name_of[method], "with k' = 10,000 FLH is as good as OLH (d = 500, n = 10^6)", "same", sprintf("%.2f times OLH's error", r),
        (value[a] - value[b]) / sqrt(square(error[a]) + square(error[b])), r < 1.1 ? "agrees" : "differs")
}

function figure_4(method,   i, t, x, best, text, low, high, z, m) {
    for (i = 1; i <= nx["4a"]; i++) {
        x = grid["4a", i]
        best = 1
        for (t = 2; t <= 7; t++)
            if (mse("4a", method, "hm(t=" t ")", x) < mse("4a", method, "hm(t=" best ")", x))
                best = t
        text = text (text == "" ? "" : ", ") best " at ε = " x
        low = low || (x <= 1 && best != 1)
        high = high || (x >= 2 && (best < 2 || best > 4))
    }
    row("optimum", "4a", name_of[method], "HM is best with t = 1 at high privacy, t = 2 to 4 at ε = 2 to 4", "1; 2 to 4", text, "",
        low || high ? "differs" : "agrees")
    if (method == "base")
        same("high", "4d", method, "hr", "hm(t=1)", 0, 1, "ε", "HR has the error of HM (t = 1) up to ε = 1")
    hr_better("4b", method, "ε", 1.1, "above ε = 1 HR has a smaller error than HM with any t")
    hr_better("4c", method, "d", 0, "HR has a smaller error than HM with any t, here at ε = 3")
}

function hr_better(figure, method, axis, from, statement,   i, t, x, best) {
    begin()
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        if (x < from)
            continue
        best = 1
        for (t = 2; t <= 5; t++)
            if (mse(figure, method, "hm(t=" t ")", x) < mse(figure, method, "hm(t=" best ")", x))
                best = t
        add(z_of(figure, "full_domain", method, "hm(t=" best ")", method, "hr", x), axis " = " x)
    }
    tell("hr-better", figure, name_of[method], statement)
}

function figure_5(method) {
    ordering("hashing", "5a", method, "hr", "olh", 1, 9, "ε", "OLH has a smaller error than HR")
    ordering("hashing", "5a", method, "hm", "olh", 1, 9, "ε", "OLH has a smaller error than HM")
    ordering("hashing-d", "5b", method, "hr", "olh", 16, 1e9, "d", "OLH has a smaller error than HR, but for small d")
    ordering("hashing-d", "5b", method, "hm(t=3)", "olh", 4, 1e9, "d", "OLH has a smaller error than HM")
}

function figure_3_times(   i, x) {
    begin()
    for (i = 1; i <= nx["3c"]; i++) {
        x = grid["3c", i]
        add(z_of("3c", "total", "", "olh", "", "flh(k=10000)", x), "d = " x)
    }
    tell("flh-faster", "3c", "time", "FLH with k' = 10,000 is faster than OLH")
}

function figure_5_times(   i, k, n, names, x, r, e, a, b) {
    n = split("oue,olh,flh,hm(t=3)", names, ",")
    begin()
    for (i = 1; i <= nx["5c"]; i++) {
        x = grid["5c", i]
        for (k = 1; k <= n; k++)
            add(z_of("5c", "total", "", names[k], "", "hr", x), names[k] " d = " x)
    }
    tell("fastest", "5c", "time", "HR is the fastest")
    a = "5c" SUBSEP "server" SUBSEP "" SUBSEP "hm(t=3)" SUBSEP 1024
    b = "5c" SUBSEP "server" SUBSEP "" SUBSEP "hm(t=1)" SUBSEP 1024
    r = value[a] / value[b]
    e = r * sqrt(square(error[a] / value[a]) + square(error[b] / value[b]))
    row("slower", "5c", "time", "the server of HM with t = 3 takes 3 times as long as with t = 1 (d = 1024)", "3",
        sprintf("%.1f ± %.1f", r, e), "", abs(r - 3) <= 1 ? "agrees" : abs(r - 3) - LIMIT * e > 1 ? "differs" : "undecided")
}

function figure_11(   n, order, i, k, x) {
    n = split("base base_pos norm_sub_once norm_cut norm_sub", order, " ")
    begin()
    for (i = 1; i <= nx["11"]; i++) {
        x = grid["11", i]
        for (k = 1; k < n; k++)
            add(z_of("11", "full_domain", order[k], "flh(k=500)", order[k + 1], "flh(k=500)", x), order[k] " d = " x)
    }
    tell("order", 11, "MSE", "errors fall from None over Base-Pos, Norm-Sub (one pass) and Base-Cut (Norm-Cut here) to the simplex")
    begin()
    for (i = 1; i <= nx["11"]; i++) {
        x = grid["11", i]
        for (k = 1; k < n; k++)
            add(z_of("11", "top_k", "norm_sub", "flh(k=500)", order[k], "flh(k=500)", x), order[k] " d = " x)
    }
    tell("k-mse", 11, "k-MSE", "the simplex has the highest k-MSE")
}

# ---- the page's body ----

function rules() {
    print "A *z* is a difference in standard errors, and four of them decide. Verdicts are **agrees**, **differs**, or **undecided**: at"
    print "this error it cannot be told."
    print ""
    print "- *Orderings* are compared at every point of the figure's grid. One point against by four standard errors: differs."
    print "  Otherwise, where at least half are for by four: agrees. The z shown is the least favourable."
    print "- *Same curve*: nowhere apart by four standard errors; the z shown is the farthest apart."
    print "- *Close*: within a tenth. *Flat*: less than a factor of 2 from ε = 2 to 5, where OLH falls by more than 10."
    print "- *Times* are of this code on one machine; the paper's are of Python. Its factor agrees within 1."
}

END {
    print "## Verdicts are by rule\n"
    rules()
    print "\n## What the paper states\n"
    print "| Figure | of | statement | paper | measured | z | verdict |"
    print "|---|---|---|---|---|---|---|"
    for (b = 1; b in both; b++)
        figure_1(both[b])
    for (b = 1; b in both; b++)
        figure_2(both[b])
    for (b = 1; b in both; b++)
        figure_3(both[b])
    for (b = 1; b in both; b++)
        figure_4(both[b])
    for (b = 1; b in both; b++)
        figure_5(both[b])
    figure_3_times()
    figure_5_times()
    figure_11()
    printf "\n%d agree, %d differ, %d undecided.\n", tally["agrees"], tally["differs"], tally["undecided"]
    if (nfootnotes) {
        print "\n## Why"
        for (i = 1; i <= nfootnotes; i++)
            printf "\n<a id=\"note-%d\"></a>%d. %s\n", i, i, footnotes[i]
    }
}
