# What NDSS 2020 says in numbers and orderings, against the tables of configs/ndss2020-*.json. Reads, in this order,
# reproduction-reasons.tsv, reproduction-anchors.tsv, then tables, each after figure=N table=NAME; writes the body of
# the agreement page. reproduction.sh calls it. What each statement is held to is said on the page (rules()).

BEGIN {
    FS = ","
    LIMIT = 4       # standard errors
    PRINTED = 5000  # repetitions behind the numbers of Figure 2
    split("base base_pos post_pos norm norm_mul norm_sub mle_apx base_cut norm_cut power power_ns", ids, " ")
    split("Base Base-Pos Post-Pos Norm Norm-Mul Norm-Sub MLE-Apx Base-Cut Norm-Cut Power PowerNS", names, " ")
    for (i = 1; i in ids; i++)
        printed[ids[i]] = names[i]
}

function number(x,   text) {
    text = x != 0 && abs(x) < 0.01 ? sprintf("%.2e", x) : sprintf("%.3g", x)
    sub(/e-0/, "e-", text)
    sub(/e\+0/, "e+", text)
    return text
}

function with_error(x, e) { return number(x) " ± " number(e) }

# ---- reading ----

table == "anchors" {
    if (!/^#/ && NF) {
        nanchors++
        split($0, field, "\t")
        anchor_group[nanchors] = field[1]
        anchor_method[nanchors] = field[2]
        anchor_x[nanchors] = field[3]
        anchor_value[nanchors] = field[4]
        anchor_error[nanchors] = field[5]
    }
    next
}

{
    data = $column["dataset"]
    if (!((figure, data) in data_seen)) {
        data_seen[figure, data] = ++ndata[figure]
        datasets[figure, ndata[figure]] = data
    }
}

table == "mse" {
    if ((figure, data, $column["method"], row_x()) in mse)
        next
    x = row_x()
    note_x(x)
    mse[figure, data, $column["method"], x] = $column["mse"]
    err[figure, data, $column["method"], x] = $column["stderr"]
    repetitions[figure] = $column["repetitions"]
    next
}

table == "n_equivalent" && figure != 5 { next }

table == "n_equivalent" {
    equivalent[data, $column["method"], $column["n"]] = $column["n_equivalent"]
    equivalent_err[data, $column["method"], $column["n"]] = $column["stderr"]
    next
}

table == "bias_sums" {
    bias_sum[$column["method"]] = $column["bias_sum"]
    bias_err[$column["method"]] = $column["stderr"]
    repetitions[2] = $column["repetitions"]
    next
}

# A value may hold commas: what follows it is counted from the end.
table == "values" {
    method = $column["method"]
    rank = $column["rank"]
    d = max(d, rank)
    users = $4
    bias[method, rank] = $(NF - 1)
    variance[method, rank] = $NF
    next
}

table == "selection" {
    x = $column["epsilon"]
    note_x(x)
    predicted[data, $column["surrogate"], $column["method"], x] = $column["predicted"]
    predicted_err[data, $column["surrogate"], $column["method"], x] = $column["predicted_stderr"]
    mse[figure, data, $column["method"], x] = $column["actual"]
    err[figure, data, $column["method"], x] = $column["actual_stderr"]
    repetitions[figure] = $column["repetitions"]
    next
}

table == "regret" {
    regret[data, $column["surrogate"], $column["epsilon"]] = $column["regret"]
    regret_err[data, $column["surrogate"], $column["epsilon"]] = $column["stderr"]
    next
}

function note_x(x) {
    if (!((figure, x) in x_seen)) {
        x_seen[figure, x] = ++nx[figure]
        grid[figure, nx[figure]] = x
    }
}

# What a figure sweeps.
function row_x() {
    return figure == 5 ? $column["n"] : figure == 4 ||
        figure == 8 ? $column["epsilon"] : figure < 4 ? 1 : $column["parameter"]
}

# ---- rows and reasons ----

function reason(id, data, verdict,   i) {
    for (i = 1; i <= nreasons; i++)
        if (reason_id[i] == id && (reason_data[i] == "*" || reason_data[i] == data) &&
            (reason_when[i] == "always" || index(verdict, reason_when[i]) == 1))
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
    } else if (verdict == "differs") {
        unexplained++
        mark = " (reason not known)"
    }
    tally[verdict]++
    printf "| %s | %s | %s | %s | %s | %s | %s%s |\n", figure, data, statement, paper, measured, z == "" ? "" : \
        sprintf("%+.1f", z), verdict == "agrees" ? "agrees" : "**" verdict "**", mark
}

# ---- kinds of statements ----

# A number; printed: to how many the paper prints it.
function state_number(id, figure, data, statement, paper, value, error, paper_error, paper_text, text,   z) {
    if (error == "" || sqrt(square(error) + square(paper_error)) == 0)
        z = ""
    else
        z = (value - paper) / sqrt(square(error) + square(paper_error))
    row(id, figure, data, statement, paper_text, text, z, z != "" && abs(z) <= LIMIT ? "agrees" : "differs")
}

# A number said roughly: within a factor. Bounds widened by LIMIT standard errors for, narrowed for against.
function roughly(value, error, low, high) {
    if (value >= low && value <= high)
        return "agrees"
    if (value + LIMIT * error < low || value - LIMIT * error > high)
        return "differs"
    return "undecided"
}

function ratio_at(figure, data, a, b, x) { return mse[figure, data, a, x] / mse[figure, data, b, x] }

function ratio_error(figure, data, a, b, x) {
    return ratio_at(figure, data, a, b, x) * sqrt(square(err[figure, data, a, x] / mse[figure, data, a, x]) + \
        square(err[figure, data, b, x] / mse[figure, data, b, x]))
}

function z_at(figure, data, low, high, x,   e) {
    e = sqrt(square(err[figure, data, low, x]) + square(err[figure, data, high, x]))
    return e > 0 ? (mse[figure, data, high, x] - mse[figure, data, low, x]) / e : 0
}

# Orderings, gathered: begin, compare each, then ordering_verdict.
function ordering_begin() {
    npoints = nfor = nagainst = 0
    worst = ""
    against_at = ""
}
function ordering_add(z, where) {
    npoints++
    if (z > LIMIT)
        nfor++
    if (z < -LIMIT) {
        nagainst++
        against_at = against_at (against_at == "" ? "" : ", ") where
    }
    worst = worst == "" ? z : min(worst, z)
}
function ordering_verdict() {
    return nagainst ? "differs" : 2 * nfor >= npoints ? "agrees" : "undecided"
}
function ordering_text(   text) {
    text = nfor " of " npoints " for"
    if (nagainst)
        text = text ", " nagainst " against (" (length(against_at) > 90 ? substr(against_at, 1,
            87) "..." : against_at) ")"
    return text
}

function within(x, from, to) { return x + 0 >= from - 1e-9 && x + 0 <= to + 1e-9 }

# a below each of list, at all points from .. to.
function state_below(id, figure, data, statement, a, list, from, to,   other, n, i, k, x) {
    n = split(list, other, " ")
    ordering_begin()
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        if (within(x, from, to))
            for (k = 1; k <= n; k++)
                if (other[k] != a && (figure, data, other[k], x) in mse)
                    ordering_add(z_at(figure, data, a, other[k], x), (n > 1 ? printed[other[k]] " " : "") "at " x)
    }
    row(id, figure, data, statement, "ordering", ordering_text(), worst, ordering_verdict())
}

# Geometric mean over the grid of mse(a) / mse(b), with its standard error, into mean_ratio and mean_ratio_error.
function mean_of_ratios(figure, data, a, b,   i, x, sum, errors, least, most) {
    least = most = ratio_at(figure, data, a, b, grid[figure, 1])
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        sum += log(ratio_at(figure, data, a, b, x))
        errors += square(ratio_error(figure, data, a, b, x) / ratio_at(figure, data, a, b, x))
        least = min(least, ratio_at(figure, data, a, b, x))
        most = max(most, ratio_at(figure, data, a, b, x))
    }
    mean_ratio = exp(sum / nx[figure])
    mean_ratio_error = mean_ratio * sqrt(errors) / nx[figure]
    ratio_range = number(least) " to " number(most)
}

function state_ratio(id, figure, data, statement, a, b, value, factor, paper) {
    mean_of_ratios(figure, data, a, b)
    row(id, figure, data, statement, paper, with_error(mean_ratio, mean_ratio_error) " (" ratio_range ")", "",
        roughly(mean_ratio, mean_ratio_error, value / factor, value * factor))
}

# Two curves that cannot be told apart in print: within 5 %.
function state_coincide(id, figure, data, a, b,   i, x, r, e, furthest, verdict) {
    verdict = "agrees"
    for (i = 1; i <= nx[figure]; i++) {
        x = grid[figure, i]
        r = abs(ratio_at(figure, data, a, b, x) - 1)
        e = ratio_error(figure, data, a, b, x)
        furthest = max(furthest, r)
        if (r > 0.05)
            verdict = r - LIMIT * e > 0.05 ? "differs" : verdict == "differs" ? verdict : "undecided"
    }
    row(id, figure, data, printed[a] " and " printed[b] " coincide", "same curve",
        "apart by at most " number(100 * furthest) " %", "", verdict)
}

# ---- the statements ----

function figure_1(   n, i, list, z, r, positive, negative, sum, errors) {
    if (!(("base", 1) in bias))
        return
    n = split("base norm", list, " ")
    for (i = 1; i <= n; i++) {
        sum = 0
        for (r = 1; r <= d; r++)
            sum += square(bias[list[i], r]) / (variance[list[i], r] / repetitions[2])
        z = (sum - d) / sqrt(2 * d)
        row("unbiased", 1, zipf, printed[list[i]] " is unbiased at every value", "bias 0",
            "sum over values of (bias / standard error)^2 = " sprintf("%.0f", sum) " for d = " d, z,
            abs(z) <= LIMIT ? "agrees" : "differs")
    }
    for (r = 1; r <= d; r++) {
        z = bias["base_pos", r] / sqrt(variance["base_pos", r] / repetitions[2])
        positive += z > LIMIT
        negative += z < -LIMIT
    }
    row("base-pos-up", 1, zipf, "Base-Pos estimates no value too low", "ordering",
        positive " of " d " values too high, " negative " too low", "", negative ? "differs" : "agrees")
    n = split("norm_mul norm_cut norm_sub power_ns", list, " ")
    for (i = 1; i <= n; i++) {
        sum = errors = 0
        for (r = d - 99; r <= d; r++) {
            sum += bias[list[i], r] / 100
            errors += variance[list[i], r] / repetitions[2] / 10000
        }
        z = sum / sqrt(errors)
        row("tail-up", 1, zipf, printed[list[i]] " estimates rare values too high", "ordering",
            "mean bias of the 100 rarest " with_error(sum, sqrt(errors)) " users", z,
            z > LIMIT ? "agrees" : z < -LIMIT ? "differs" : "undecided")
    }
}

function figure_2(   n, i, list, value, paper_error) {
    n = split("base -1405 base_pos 711932 base_cut -137449 norm 0 norm_mul 0 norm_cut 0 norm_sub 0 power -96332 " \
        "power_ns 0", list, " ")
    for (i = 1; i < n; i += 2) {
        value = bias_sum[list[i]]
        if (value == "")
            continue
        if (abs(value - list[i + 1]) < 0.5) {
            row("bias-" list[i], 2, zipf, "sum of biases, " printed[list[i]], thousands(list[i + 1]), thousands(value),
                "",
                "agrees")
            continue
        }
        paper_error = bias_err[list[i]] * sqrt(repetitions[2] / PRINTED)
        state_number("bias-" list[i], 2, zipf, "sum of biases, " printed[list[i]], list[i + 1], value,
            bias_err[list[i]],
            paper_error, thousands(list[i + 1]), thousands(value) " ± " thousands(bias_err[list[i]]))
    }
}

function figure_3(   r, base, norm, e, z) {
    if (!(("base", 1) in variance))
        return
    for (r = 1; r <= d; r++) {
        base += variance["base", r] / users / d
        norm += variance["norm", r] / users / d
    }
    e = base * sqrt(2 / (repetitions[2] - 1) / d)
    row("base-variance", 3, zipf, "variance of Base's counts / n", "about 3.69", with_error(base, e), "",
        roughly(base, e, 3.685, 3.695))
    z = (base - norm) / (sqrt(2) * e)
    row("norm-variance", 3, zipf, "Norm's variance is slightly lower than Base's", "ordering",
        sprintf("%.4f against %.4f", norm, base), z, z > LIMIT ? "agrees" : z < -LIMIT ? "differs" : "undecided")
}

function figure_4(data,   i, n, all, m, fall, fall_error, from, to) {
    state_ratio("half", 4, data, "Base-Pos has about half the error of Base", "base_pos", "base", 0.5, 1.25, "0.5")
    if (data ~ /^zipf/)
        state_ratio("norm-sub-10", 4, data, "Norm-Sub cuts Base's error about 10 times", "base", "norm_sub", 10,
            3.1623, "10")
    else
        state_ratio("norm-sub-100", 4, data, "Norm-Sub cuts Base's error about 100 times", "base", "norm_sub", 100,
            3.1623,
            "100")
    # How often the error falls from the least epsilon to the largest.
    from = grid[4, 1]
    to = grid[4, nx[4]]
    n = split(ALL, all, " ")
    for (i = 1; i <= n; i++) {
        m = all[i]
        fall[m] = mse[4, data, m, from] / mse[4, data, m, to]
        fall_error[m] = fall[m] * sqrt(square(err[4, data, m, from] / mse[4, data, m, from]) + \
            square(err[4, data, m, to] / mse[4, data, m, to]))
    }
    ordering_begin()
    for (i = 1; i <= n; i++)
        if (all[i] != "norm_mul")
            ordering_add((fall[all[i]] - fall["norm_mul"]) / \
                sqrt(square(fall_error[all[i]]) + square(fall_error["norm_mul"])), printed[all[i]])
    row("norm-mul-slow", 4, data, "Norm-Mul's error falls slowest with ε", "ordering",
        "falls " number(fall["norm_mul"]) \
        " times, Base " number(fall["base"]) "; " ordering_text(), worst, ordering_verdict())
    state_below("power-ns-best", 4, data, "PowerNS has the least error", "power_ns", ALL, 0, 99)
    state_below("base-cut-best", 4, data, "Base-Cut has the least error (introduction of sec. V)", "base_cut", ALL, 0,
        99)
}

function figure_5(data,   list, n, i, k, x, r, sum, errors, saved, e) {
    n = split("base norm", list, " ")
    for (i = 1; i <= n; i++) {
        sum = errors = 0
        for (k = 1; k <= nx[5]; k++) {
            x = grid[5, k]
            sum += equivalent[data, list[i], x] / x / nx[5]
            errors += square(equivalent_err[data, list[i], x] / x / nx[5])
        }
        if (list[i] == "base")
            state_number("slope-base", 5, data, "n' / n of Base", 1, sum, sqrt(errors), 0, "1", with_error(sum,
                sqrt(errors)))
        else
            row("slope-norm", 5, data, "n' / n of Norm, as seen in print", "1", with_error(sum, sqrt(errors)), "",
                roughly(sum, sqrt(errors), 0.95, 1.05))
    }
    state_below("norm-mul-below", 5, data, "Norm-Mul needs more users than Base (n' below Base's)", "base", "norm_mul",
        0, 1e99)
    x = 1000000
    if ((data, "power_ns", x) in equivalent) {
        saved = 1 - x / equivalent[data, "power_ns", x]
        e = x / square(equivalent[data, "power_ns", x]) * equivalent_err[data, "power_ns", x]
        row("saved", 5, data, "PowerNS saves around 90 % of the users, n = 10^6", "90 %", with_error(100 * saved,
            100 * e) " %", "",
            roughly(saved, e, 0.85, 0.95))
    }
    state_coincide("pair", 5, data, "base", "norm")
    state_coincide("pair", 5, data, "base_pos", "post_pos")
    state_coincide("pair", 5, data, "norm_sub", "mle_apx")
}

function figure_6(data,   list, n, i, k, x, y, z, furthest, points, least, least_error, r, who) {
    n = split("norm norm_mul norm_sub mle_apx norm_cut power_ns", list, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= nx[6]; k++) {
            x = grid[6, k]
            y = 100 - x
            if (x >= 50 || !((6, data, list[i], y) in mse))
                continue
            z = (mse[6, data, list[i], x] - mse[6, data, list[i], y]) / \
                sqrt(square(err[6, data, list[i], x]) + square(err[6, data, list[i], y]))
            points++
            furthest = abs(z) > abs(furthest) ? z : furthest
        }
    row("symmetric", 6, data, "methods that sum to 1 are symmetric about ρ = 50", "ρ and 100 - ρ the same",
        points " pairs, the furthest in z", furthest, abs(furthest) <= LIMIT ? "agrees" : "differs")
    n = split("base base_pos post_pos base_cut power", list, " ")
    for (i = 1; i <= n; i++) {
        r = ratio_at(6, data, list[i], "power_ns", 90)
        if (least == "" || r < least) {
            least = r
            least_error = ratio_error(6, data, list[i], "power_ns", 90)
            who = printed[list[i]]
        }
    }
    row("two-orders", 6, data, "ρ = 90: PowerNS is at least 100 times better than methods that do not normalise",
        "≥ 100",
        with_error(least, least_error) " (" who ")", (least - 100) / least_error,
        least - LIMIT * least_error > 100 ? "agrees" : least + LIMIT * least_error < 100 ? "differs" : "undecided")
    state_below("base-cut-base", 6, data, "Base-Cut is better than Base", "base_cut", "base", 0, 100)
}

function figure_7(data,   list, n, i, k, z) {
    n = split(ALL, list, " ")
    ordering_begin()
    for (i = 1; i <= n; i++)
        ordering_add((mse[7, data, list[i], grid[7, nx[7]]] - mse[7, data, list[i], grid[7, 1]]) / \
            sqrt(square(err[7, data, list[i], grid[7, nx[7]]]) + square(err[7, data, list[i], grid[7, 1]])),
                printed[list[i]])
    row("grow-rho", 7, data, "errors grow with ρ (ρ = 10 against 1)", "ordering", ordering_text(), worst,
        ordering_verdict())
    state_below("norm-cut-base-cut", 7, data, "Norm-Cut is better than Base-Cut from ρ = 2", "norm_cut", "base_cut", 2,
        10)
}

function figure_8(data) {
    state_below("post-pos-best", 8, data, "Post-Pos is the best of the left panel, ε < 3", "post_pos", LEFT, 0, 2.9)
    state_below("norm-cut-best", 8, data, "Norm-Cut is the best of the right panel, ε < 3", "norm_cut", RIGHT, 0, 2.9)
}

function figure_9(data,   k, x, sum, errors, most, itself, m, i, n, all, best, z) {
    n = split(ALL, all, " ")
    for (k = 1; k <= nx[9]; k++) {
        x = grid[9, k]
        sum += log(regret[data, "norm_sub", x]) / nx[9]
        errors += square(regret_err[data, "norm_sub", x] / regret[data, "norm_sub", x] / nx[9])
        most = max(most, regret[data, "norm_sub", x])
        best = "power_ns"
        for (i = 1; i <= n; i++)
            if (predicted[data, "power_ns", all[i], x] < predicted[data, "power_ns", best, x])
                best = all[i]
        itself += best == "power_ns"
    }
    row("select-norm-sub", 9, data, "chosen on Norm-Sub's surrogate, the method is nearly the best",
        "error near the least",
        "error " with_error(exp(sum), exp(sum) * sqrt(errors)) " times the least (at most " number(most) ")", "",
        roughly(exp(sum), exp(sum) * sqrt(errors), 0, 1.5))
    row("select-itself", 9, data, "on PowerNS's surrogate, PowerNS chooses itself", "always", itself " of " nx[9] " ε",
        "",
        itself == nx[9] ? "agrees" : "differs")
    ordering_begin()
    for (k = 1; k <= nx[9]; k++) {
        x = grid[9, k]
        z = (mse[9, data, "power_ns", x] - predicted[data, "power_ns", "power_ns", x]) / \
            sqrt(square(err[9, data, "power_ns", x]) + square(predicted_err[data, "power_ns", "power_ns", x]))
        ordering_add(z, "ε = " x)
    }
    row("flatters-itself", 9, data, "on its own surrogate, PowerNS is predicted better than it is", "ordering",
        ordering_text(),
        worst, ordering_verdict())
}

function flat(data, method,   k, x, least, most, least_error, most_error, r, e) {
    for (k = 1; k <= nx[10]; k++) {
        x = grid[10, k]
        if (least == "" || mse[10, data, method, x] < least) {
            least = mse[10, data, method, x]
            least_error = err[10, data, method, x]
        }
        if (mse[10, data, method, x] > most) {
            most = mse[10, data, method, x]
            most_error = err[10, data, method, x]
        }
    }
    r = most / least
    e = r * sqrt(square(least_error / least) + square(most_error / most))
    row("flat", 10, data, printed[method] " is flat in k", "constant", "largest / smallest " with_error(r, e), "",
        roughly(r, e, 0, 1.5))
}

function figure_10(data,   list, n, i, k, x, least, least_error, r, reliable, last) {
    n = split(TOP, list, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= nx[10]; k++) {
            x = grid[10, k]
            if (list[i] == "norm_mul")
                continue
            r = ratio_at(10, data, "norm_mul", list[i], x)
            if (least == "" || r < least) {
                least = r
                least_error = ratio_error(10, data, "norm_mul", list[i], x)
            }
        }
    row("norm-mul-10", 10, data, "Norm-Mul is at least 10 times worse than all others", "≥ 10", with_error(least,
        least_error) \
        " (nearest)", (least - 10) / least_error,
        least - LIMIT * least_error > 10 ? "agrees" : least + LIMIT * least_error < 10 ? "differs" : "undecided")
    flat(data, "base")
    flat(data, "norm")
    flat(data, "norm_sub")
    state_below("norm-sub-above", 10, data, "Norm-Sub is worse than Base", "base", "norm_sub", 0, 99)
    n = split("base_cut norm_cut power power_ns", list, " ")
    last = grid[10, nx[10]]
    for (i = 1; i <= n; i++) {
        x = grid[10, 1]
        r = (mse[10, data, list[i], last] - mse[10, data, list[i], x]) / \
            sqrt(square(err[10, data, list[i], x]) + square(err[10, data, list[i], last]))
        row("grow-k", 10, data, printed[list[i]] "'s error grows with k (k = " last " against " x ")", "ordering",
            number(mse[10, data, list[i], last]) " against " number(mse[10, data, list[i], x]), r,
            r > LIMIT ? "agrees" : r < -LIMIT ? "differs" : "undecided")
    }
    state_below("power-base-cut", 10, data, "Power is worse than Base-Cut for k > 10", "base_cut", "power", 11, 99)
    state_below("power-base-cut", 10, data, "PowerNS is worse than Base-Cut for k > 10", "base_cut", "power_ns", 11, 99)
    for (k = 1; k <= nx[10]; k++)
        if (ratio_at(10, data, "base_cut", "base", grid[10, k]) <= 1.1)
            reliable = grid[10, k]
    row("reliable", 10, data, "around 10 values are told reliably", "10",
        "Base-Cut within 10 % of Base up to k = " reliable, "",
        roughly(reliable, 0, 6, 16))
}

# ---- the independent simulation ----

function anchor_z(i,   group, m, x, value, error, data) {
    group = anchor_group[i]
    m = anchor_method[i]
    x = anchor_x[i]
    if (group == "bias_sum") {
        value = bias_sum[m]
        error = bias_err[m]
    } else if (group == "n_equivalent") {
        value = equivalent[zipf, m, x] / x
        error = equivalent_err[zipf, m, x] / x
    } else {
        value = mse[group + 0, zipf, m, x]
        error = err[group + 0, zipf, m, x]
    }
    anchor_measured = value
    if (value == "")
        return ""
    # Theirs: as told, or taken as ours; and the rounding of what they print.
    error = anchor_error[i] == "" ? sqrt(2 * square(error) + square(unit(anchor_value[i])) / 12) \
        : sqrt(square(error) + square(anchor_error[i]))
    return (value - anchor_value[i]) / error
}

# A unit of the last printed digit.
function unit(text,   mantissa, exponent, digits) {
    mantissa = text
    exponent = 0
    if (match(text, /e/)) {
        mantissa = substr(text, 1, RSTART - 1)
        exponent = substr(text, RSTART + 1) + 0
    }
    digits = match(mantissa, /\./) ? length(mantissa) - RSTART : 0
    return exp((exponent - digits) * log(10))
}

function anchors(group, title, xname,   i, z, nxs, nms, xs, ms, seen, cell, text, k, j, beyond, count, why, m) {
    for (i = 1; i <= nanchors; i++) {
        if (anchor_group[i] != group)
            continue
        if (!(("x", anchor_x[i]) in seen)) {
            seen["x", anchor_x[i]] = 1
            xs[++nxs] = anchor_x[i]
        }
        if (!(("m", anchor_method[i]) in seen)) {
            seen["m", anchor_method[i]] = 1
            ms[++nms] = anchor_method[i]
        }
        z = anchor_z(i)
        if (z == "")
            continue
        count++
        text = group == "bias_sum" ? thousands(anchor_measured) : number(anchor_measured)
        why = ""
        if (abs(z) > LIMIT) {
            beyond++
            why = reason("anchor-" group "-" anchor_method[i], anchor_x[i], "differs")
            if (why != "" && !(why in footnote)) {
                footnote[why] = ++nfootnotes
                footnotes[nfootnotes] = why
            }
            why = why == "" ? " (reason not known)" : " [" footnote[why] "](#note-" footnote[why] ")"
        }
        cell[anchor_x[i], anchor_method[i]] = (group == "bias_sum" ? thousands(anchor_value[i]) : anchor_value[i]) \
            " / " text (abs(z) > LIMIT ? " (**" sprintf("%+.1f", z) "**" why ")" : " (" sprintf("%+.1f", z) ")")
    }
    if (!count)
        return
    printf "\n%s %d of %d within four standard errors.\n\n| %s |", title, count - beyond, count, xname
    for (j = 1; j <= nms; j++)
        printf " %s |", printed[ms[j]]
    printf "\n|---|"
    for (j = 1; j <= nms; j++)
        printf "---|"
    print ""
    for (k = 1; k <= nxs; k++) {
        printf "| %s |", xs[k]
        for (j = 1; j <= nms; j++)
            printf " %s |", cell[xs[k], ms[j]]
        print ""
    }
}

# ---- the page's body ----

function rules() {
    print "A *z* is a difference in standard errors, and four of them decide: there are thousands of comparisons."
    print "Verdicts are **agrees**, **differs**, or **undecided**: at this error it cannot be told."
    print ""
    print "- *Numbers* (Figure 2): z is the difference from the printed number over the error of both, which are means over runs"
    print "  of the same kind. The paper's error is taken to be ours at its 5000 repetitions. What rounds to the printed number agrees."
    print "- *Rough numbers* agree within a factor 1.25 ('about half'), 5 percentage points ('around 90 %') or half an order"
    print "  of magnitude ('10 times'; means over the figure's grid, with the range); they differ when four standard errors"
    print "  beyond."
    print "- *Orderings* are compared at every point of the figure's grid. One point against by four standard errors:"
    print "  differs. Otherwise, where at least half are for by four: agrees. The z shown is the least favourable. Methods"
    print "  see the same collections, so errors of differences are mostly smaller than those used here, which makes no verdict"
    print "  easier."
    print "- *Curves that coincide* are within 5 % everywhere; *flat* ones vary by at most a factor 1.5."
    print "- *Near the best* (Figure 9) is within a factor 1.5 of the least error, on average over ε."
}

function each(figure,   i) {
    for (i = 1; i <= ndata[figure]; i++) {
        if (figure == 4)
            figure_4(datasets[figure, i])
        else if (figure == 5)
            figure_5(datasets[figure, i])
        else if (figure == 6)
            figure_6(datasets[figure, i])
        else if (figure == 7)
            figure_7(datasets[figure, i])
        else if (figure == 8)
            figure_8(datasets[figure, i])
        else if (figure == 9)
            figure_9(datasets[figure, i])
        else if (figure == 10)
            figure_10(datasets[figure, i])
    }
}

END {
    ALL = "base base_pos post_pos norm norm_mul norm_sub mle_apx base_cut norm_cut power power_ns"
    LEFT = "base base_pos post_pos norm norm_mul norm_sub"
    RIGHT = "norm_sub mle_apx base_cut norm_cut power power_ns"
    TOP = "base base_pos post_pos norm norm_mul norm_sub base_cut norm_cut power power_ns"
    zipf = datasets[1, 1]
    print "## Verdicts are by rule\n"
    rules()
    print "\n## What the paper states\n"
    print "| Figure | data | statement | paper | measured | z | verdict |"
    print "|---|---|---|---|---|---|---|"
    figure_1()
    figure_2()
    figure_3()
    for (f = 4; f <= 10; f++)
        each(f)
    printf "\n%d agree, %d differ, %d undecided.\n", tally["agrees"], tally["differs"], tally["undecided"]
    if (nanchors) {
        print "\n## An independent simulation"
        print "\nZipf data as above, simulated by other code (in part the authors'), on one multinomial draw of the data:"
        print "theirs / ours (z). Where their error is not known it is taken as ours, and the rounding of their number counts."
        anchors("bias_sum", "Sums of biases in users, 300 repetitions of theirs.", "ε")
        anchors("4", "Mean squared error of single frequencies.", "ε")
        anchors("6", "Mean squared error of random sets.", "ρ")
        anchors("7", "Mean squared error of small random sets.", "ρ")
        anchors("10", "Mean squared error of the k most frequent values.", "k")
        anchors("n_equivalent", "n' / n.", "n")
    }
    if (nfootnotes) {
        print "\n## Why"
        for (i = 1; i <= nfootnotes; i++)
            printf "\n<a id=\"note-%d\"></a>%d. %s\n", i, i, footnotes[i]
    }
}
