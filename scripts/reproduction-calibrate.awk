# What Calibrate (INFOCOM 2019) says in numbers and orderings, against the tables of configs/calibrate2019-*.json. Reads
# reproduction-calibrate-reasons.tsv, then tables, each after figure=N table=NAME; writes the body of the agreement page.
# reproduction-calibrate.sh calls it. What each statement is held to is said on the page (rules()).

BEGIN {
    FS = ","
    LIMIT = 4 # standard errors
    name_of["oue"] = "OUE"
    name_of["oue_zero"] = "OUE-Zero"
    name_of["oue_calibrate"] = "OUE-Calibrate"
    split("precision recall f_score", measures, " ")
}

function number(x,   text) {
    text = x != 0 && (abs(x) < 0.001 || abs(x) >= 100000) ? sprintf("%.2e", x) : sprintf("%.3g", x)
    sub(/e-0/, "e-", text)
    sub(/e\+0/, "e+", text)
    return text
}

# ---- reading ----

# Of what both result folders have on the same data the first counts.
{
    data = $column["dataset"]
    if ((figure, data) in source && source[figure, data] != FILENAME)
        next
    if (!((figure, data) in source)) {
        source[figure, data] = FILENAME
        datasets[figure, ++ndata[figure]] = data
    }
    d[data] = $column["d"]
    n[data] = $column["n"]
    repetitions[figure] = max(repetitions[figure], $column["repetitions"])
}

table == "noise" {
    mean[data] = $column["fitted_mean"]
    mean_error[data] = $column["fitted_mean_stderr"]
    sd[data] = $column["fitted_sd"]
    sd_error[data] = $column["fitted_sd_stderr"]
    predicted[data] = $column["predicted_sd"]
    next
}

table == "mse" {
    value[figure, data, $column["method"], "mse", $column["epsilon"]] = $column["mse"]
    error[figure, data, $column["method"], "mse", $column["epsilon"]] = $column["stderr"]
    note_x($column["epsilon"])
    next
}

# Figures 5 and 6 are over the threshold, their significance threshold apart; 8 and 9 over epsilon.
table == "heavy_hitters" {
    significance_row = $column["query"] ~ /scale=significance/
    x = significance_row && figure < 8 ? "significance" : figure < 8 ? $column["parameter"] : $column["epsilon"]
    for (i = 1; i in measures; i++) {
        value[figure, data, $column["method"], measures[i], x] = $column[measures[i]]
        error[figure, data, $column["method"], measures[i], x] = $column[measures[i] "_stderr"]
    }
    if (significance_row)
        threshold[figure, data, x] = $column["threshold"]
    if (x != "significance")
        note_x(x)
}

function note_x(x) {
    if (!((figure, x) in x_seen)) {
        x_seen[figure, x] = 1
        grid[figure, ++nx[figure]] = x
    }
}

# ---- rows and reasons ----

function reason(id, data, verdict,   i) {
    for (i = 1; i <= nreasons; i++)
        if (reason_id[i] == id && (reason_data[i] == "*" || reason_data[i] == data) &&
            (reason_when[i] == "always" || reason_when[i] == verdict))
            return reason_text[i]
    return ""
}

function row(id, figure, data, statement, paper, measured, z, verdict,   why, mark) {
    why = reason(id, data, verdict)
    if (why != "") {
        if (!(why in footnote)) {
            footnote[why] = ++nfootnotes
            footnotes[nfootnotes] = why
        }
        mark = " [" footnote[why] "](#note-" footnote[why] ")"
    } else if (verdict == "differs")
        mark = " (reason not known)"
    tally[verdict]++
    printf "| %s | %s | %s | %s | %s | %s | %s%s |\n", figure, data, statement, paper, measured, z == "" ? "" : \
        sprintf("%+.1f", z), verdict == "agrees" ? "agrees" : "**" verdict "**", mark
}

function z_of(figure, data, low, high, measure, x,   e) {
    e = sqrt(square(error[figure, data, low, measure, x]) + square(error[figure, data, high, measure, x]))
    if (e > 0)
        return (value[figure, data, high, measure, x] - value[figure, data, low, measure, x]) / e
    return 0
}

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
    worst = worst == "" ? z : min(worst, z)
}
function tell(id, figure, data, statement) {
    row(id, figure, data, statement, "ordering", nfor " of " npoints " for" \
        (nagainst ? ", " nagainst " against (at " against_at ")" : ""), worst, nagainst ? "differs" : 2 * nfor >= npoints ? "agrees" : "undecided")
}

# ---- the statements ----

function published(data,   wanted) {
    if (data ~ /^kosarak/)
        wanted = "41,270 items, 8,019,015 users"
    else
        wanted = "16,470 items, 908,576 users"
    row("published", 3, data, "size of the data", wanted, thousands(d[data]) " items, " thousands(n[data]) " users", "",
        wanted == thousands(d[data]) " items, " thousands(n[data]) " users" ? "agrees" : "differs")
}

# The paper fitted one collection's d estimates.
function figure_4(data,   z, e) {
    row("sd", 4, data, "predicted 'variance' of the noise", "5434", sprintf("%.1f, standard deviation", predicted[data]), "",
        sprintf("%.0f", predicted[data]) == "5434" ? "agrees" : "differs")
    e = sqrt(square(sd_error[data]) + square(sd[data]) / (2 * d[data]))
    z = (sd[data] - 5405) / e
    row("sd", 4, data, "fitted 'variance' of the noise", "5405", sprintf("%.1f ± %.1f, standard deviation", sd[data], sd_error[data]), z,
        abs(z) <= LIMIT ? "agrees" : "differs")
    e = sqrt(square(mean_error[data]) + square(sd[data]) / d[data])
    z = (mean[data] + 3.2) / e
    row("mean", 4, data, "fitted mean of the noise", "-3.2", sprintf("%.1f ± %.1f", mean[data], mean_error[data]), z,
        abs(z) <= LIMIT ? "agrees" : "differs")
}

function figures_5_6(figure, data,   T, i, x, z, same, points, m, last, side, rival, ahead, gap, gap_at, gap_error) {
    T = threshold[figure, data, "significance"]
    same = points = 0
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        if (!((figure, data, "oue", "f_score", x) in value) || x + 0 < T)
            continue
        points++
        same += value[figure, data, "oue", "precision", x] == value[figure, data, "oue_zero", "precision", x] && \
            value[figure, data, "oue", "recall", x] == value[figure, data, "oue_zero", "recall", x]
    }
    row("coincide", figure, data, "OUE and OUE-Zero coincide above the significance threshold (" thousands(T) ")", "same curve",
        "the same at " same " of " points " thresholds", "", same == points ? "agrees" : "differs")
    for (m = 1; m <= 2; m++) {
        begin()
        last = ""
        for (i = 1; i <= nx[figure]; i++) {
            x = grid[figure, i]
            if (x + 0 >= T)
                continue
            if (last != "") {
                z = value[figure, data, "oue_zero", measures[m], last] - value[figure, data, "oue_zero", measures[m], x]
                z /= sqrt(square(error[figure, data, "oue_zero", measures[m], x]) + \
                    square(error[figure, data, "oue_zero", measures[m], last]))
                add(m == 1 ? z : -z, thousands(last))
            }
            last = x
        }
        tell("zero-" measures[m], figure, data, "below it OUE-Zero's " measures[m] " " (m == 1 ? "rises" : "falls") \
            " as the threshold falls")
    }
    begin()
    split("", gap)
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        add(z_of(figure, data, "oue", "oue_calibrate", "f_score", x), "OUE " thousands(x))
        add(z_of(figure, data, "oue_zero", "oue_calibrate", "f_score", x), "OUE-Zero " thousands(x))
        side = x + 0 < T ? "below" : "above"
        rival = value[figure, data, "oue", "f_score", x] > value[figure, data, "oue_zero", "f_score", x] ? "oue" : "oue_zero"
        ahead = value[figure, data, "oue_calibrate", "f_score", x] - value[figure, data, rival, "f_score", x]
        if (!(side in gap) || ahead > gap[side]) {
            gap[side] = ahead
            gap_at[side] = x
            gap_error[side] = sqrt(square(error[figure, data, "oue_calibrate", "f_score", x]) + \
                square(error[figure, data, rival, "f_score", x]))
        }
    }
    tell("best-f", figure, data, "OUE-Calibrate has the best F-score at every threshold")
    z = (gap["below"] - gap["above"]) / sqrt(square(gap_error["below"]) + square(gap_error["above"]))
    row("clearest", figure, data, "most clearly at small thresholds", "ordering", "ahead by up to " number(gap["below"]) " (at " \
        thousands(gap_at["below"]) ") below the significance threshold, " number(gap["above"]) " (at " \
        thousands(gap_at["above"]) ") above", z, z > LIMIT ? "agrees" : z < -LIMIT ? "differs" : "undecided")
}

# a over b, with its standard error in ratio_error.
function ratio(data, a, b, x,   r) {
    r = value[7, data, a, "mse", x] / value[7, data, b, "mse", x]
    ratio_error = r * sqrt(square(error[7, data, a, "mse", x] / value[7, data, a, "mse", x]) + \
        square(error[7, data, b, "mse", x] / value[7, data, b, "mse", x]))
    return r
}

function improvement(data, x, printed,   r, verdict, e, k) {
    for (k = 1; k <= 2; k++) {
        if (k == 1) # 1 - C / Z
            r = 100 * (1 - ratio(data, "oue_calibrate", "oue_zero", x))
        else # Z / C - 1
            r = 100 * (ratio(data, "oue_zero", "oue_calibrate", x) - 1)
        e = 100 * ratio_error
        verdict = abs(r - printed) <= 5 ? "agrees" : abs(r - printed) - LIMIT * e > 5 ? "differs" : "undecided"
        row("improvement-" x, 7, data, "OUE-Calibrate improves on OUE-Zero at ε = " x ", as " \
            (k == 1 ? "(Z - C) / Z" : "(Z - C) / C"), printed " %", sprintf("%.1f ± %.1f %%", r, e), "", verdict)
    }
}

function figure_7(data,   i, x, r, least, least_error, least_x, most, z) {
    for (i = 1; i <= nx[7]; i++) {
        x = grid[7, i]
        r = ratio(data, "oue", "oue_zero", x)
        most = max(most, r)
        if (least == "" || r < least) {
            least = r
            least_error = ratio_error
            least_x = x
        }
    }
    row("orders", 7, data, "OUE's error, left out of the figure, is orders of magnitude larger", "≥ 10 times", \
        sprintf("%.1f ± %.1f times at ε = %s, up to %.0f", least, least_error, least_x, most), "",
        least - LIMIT * least_error > 10 ? "agrees" : least + LIMIT * least_error < 10 ? "differs" : "undecided")
    begin()
    for (i = 1; i <= nx[7]; i++)
        add(-z_of(7, data, "oue_zero", "oue_calibrate", "mse", grid[7, i]), "ε = " grid[7, i])
    tell("calibrate-best", 7, data, "OUE-Calibrate has a smaller error than OUE-Zero")
    improvement(data, 1, data ~ /^kosarak/ ? 16 : 2.4)
    improvement(data, 5, data ~ /^kosarak/ ? 97 : 65)
    r = ratio(data, "oue_zero", "oue_calibrate", 5) - 1
    z = square(ratio_error)
    r -= ratio(data, "oue_zero", "oue_calibrate", 1) - 1
    z = r / sqrt(z + square(ratio_error))
    row("growth", 7, data, "the improvement is larger at ε = 5 than at ε = 1", "ordering", sprintf("by %.0f percentage points", 100 * r), z,
        z > LIMIT ? "agrees" : z < -LIMIT ? "differs" : "undecided")
}

function figures_8_9(figure, data,   i, x, wanted, got, same) {
    wanted = data ~ /^kosarak/ ? "25,620 / 11,360 / 6,270 / 3,681 / 2,207" : "8,275 / 3,669 / 2,025 / 1,189 / 713"
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        got = got (i > 1 ? " / " : "") thousands(threshold[figure, data, x])
        same += value[figure, data, "oue", "precision", x] == value[figure, data, "oue_zero", "precision", x] && \
            value[figure, data, "oue", "recall", x] == value[figure, data, "oue_zero", "recall", x]
    }
    row("thresholds", figure, data, "significance threshold at ε = 1 to 5, by eq. 22", wanted, got, "", got == wanted ? "agrees" : "differs")
    row("coincide", figure, data, "at the significance threshold OUE-Zero is OUE", "same curve", "the same at " same " of " nx[figure] " ε",
        "", same == nx[figure] ? "agrees" : "differs")
    begin()
    for (i = 1; i <= nx[figure]; i++)
        add(z_of(figure, data, "oue", "oue_calibrate", "precision", grid[figure, i]), "ε = " grid[figure, i])
    tell("significant-precision", figure, data, "OUE-Calibrate has higher precision")
    begin()
    for (i = 1; i <= nx[figure]; i++)
        add(z_of(figure, data, "oue_calibrate", "oue", "recall", grid[figure, i]), "ε = " grid[figure, i])
    tell("significant-recall", figure, data, "OUE-Calibrate has lower recall")
    begin()
    for (i = 1; i <= nx[figure]; i++)
        add(z_of(figure, data, "oue", "oue_calibrate", "f_score", grid[figure, i]), "ε = " grid[figure, i])
    tell("significant-f", figure, data, "OUE-Calibrate has the better F-score")
}

# ---- the independent simulation ----

# Theirs, of 3 or 4 repetitions on Retail's counts; unit: of the last digit that they tell.
function anchor(what, theirs, unit, ours, e,   z) {
    # Errors go with the root of the repetitions.
    z = (ours - theirs) / sqrt(square(e) * (1 + repetitions[7] / 3) + square(unit) / 12)
    printf "| %s | %s | %s ± %s | %+.1f |\n", what, number(theirs), number(ours), number(e), z
}

function anchor_mse(method, x, theirs, unit,   n2) {
    n2 = square(n["retail"])
    anchor("mean squared error in users, " name_of[method] ", ε = " x, theirs, unit, value[7, "retail", method, "mse", x] * n2,
        error[7, "retail", method, "mse", x] * n2)
}

function anchor_hitters(method, i, theirs) {
    anchor(measures[i] " at the significance threshold, " name_of[method] ", ε = 4", theirs, 0.01, value[9, "retail", method, measures[i], 4],
        error[9, "retail", method, measures[i], 4])
}

function anchors() {
    print "\n## An independent simulation\n"
    print "Retail's counts, simulated by other code in 3 or 4 repetitions; their error is taken as that of 3 of ours, and the"
    print "rounding of their numbers counts.\n"
    print "| quantity | theirs | ours | z |"
    print "|---|---|---|---|"
    anchor_mse("oue", 1, 3.4e6, 1e5)
    anchor_mse("oue_zero", 1, 2.2e4, 1e3)
    anchor_mse("oue_calibrate", 1, 2.3e4, 1e3)
    anchor_mse("oue", 3, 2.0e5, 1e4)
    anchor_mse("oue_zero", 3, 1.39e4, 100)
    anchor_mse("oue_calibrate", 3, 1.11e4, 100)
    anchor_mse("oue", 5, 2.5e4, 1e3)
    anchor_mse("oue_zero", 5, 7.4e3, 100)
    anchor_mse("oue_calibrate", 5, 5.0e3, 100)
    anchor_hitters("oue", 1, 0.72)
    anchor_hitters("oue", 2, 0.89)
    anchor_hitters("oue", 3, 0.80)
    anchor_hitters("oue_calibrate", 1, 0.83)
    anchor_hitters("oue_calibrate", 2, 0.82)
    anchor_hitters("oue_calibrate", 3, 0.82)
}

# ---- the page's body ----

function rules() {
    print "A *z* is a difference in standard errors, and four of them decide. Verdicts are **agrees**, **differs**, or **undecided**: at"
    print "this error it cannot be told."
    print ""
    print "- *Numbers of Figure 4* are of one collection of d estimates in the paper: its mean has the error sd / sqrt(d), its"
    print "  standard deviation sd / sqrt(2 d). z is over these errors and ours. The prediction must round to the printed number."
    print "- *Improvements* agree within 5 percentage points, differ when four standard errors beyond. What is relative to what"
    print "  the paper does not say; both are shown."
    print "- *Orderings* are compared at every point of the figure's grid. One point against by four standard errors: differs."
    print "  Otherwise, where at least half are for by four: agrees. The z shown is the least favourable. Methods see the same"
    print "  collections, so errors of differences are smaller than those used here, which makes no verdict easier."
    print "- *Curves that coincide* here are the same number by number."
}

END {
    print "## Verdicts are by rule\n"
    rules()
    print "\n## What the paper states\n"
    print "| Figure | data | statement | paper | measured | z | verdict |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= ndata[7]; i++)
        published(datasets[7, i])
    for (i = 1; i <= ndata[4]; i++)
        figure_4(datasets[4, i])
    for (f = 5; f <= 9; f++)
        for (i = 1; i <= ndata[f]; i++) {
            if (f < 7)
                figures_5_6(f, datasets[f, i])
            else if (f == 7)
                figure_7(datasets[f, i])
            else
                figures_8_9(f, datasets[f, i])
        }
    printf "\n%d agree, %d differ, %d undecided.\n", tally["agrees"], tally["differs"], tally["undecided"]
    if ((7, "retail") in source && (9, "retail") in source)
        anchors()
    if (nfootnotes) {
        print "\n## Why"
        for (i = 1; i <= nfootnotes; i++)
            printf "\n<a id=\"note-%d\"></a>%d. %s\n", i, i, footnotes[i]
    }
}
