# From a table to the layouts of its pictures: which curves stand in which panel, ranges, tics, looks, data.
# Reads methods.tsv, then the table; writes OUT/NAME.curves.gp for each picture, which curves.gp draws.
#
#     awk -f text.awk -f curves.awk -v table=mse -v out=FOLDER methods.tsv mse.csv
#
# A table of several measures, each with its column _defined, has panels for each; so have the parts of times.
#
# The swept variable with the most points is the x axis; all others tell panels apart. Where nothing is swept, methods
# stand side by side. Curves are methods, or oracles where there are more of these; over the parameter of a single
# oracle, privacy budgets. Panels are split into left and right like the paper's where they would hold more than seven
# curves.

function log10(x) { return log(x) / log(10) }
function floor(x) { return x >= 0 || x == int(x) ? int(x) : int(x) - 1 }
function ceil(x) { return -floor(-x) }
function power(k) { return sprintf("1e%d", k) + 0 }
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }

# ---- looks ----

function look(id) {
    if (!(id in look_of))
        look_of[id] = id in known ? known[id] : spare[1 + spares_used++ % spares]
    return look_of[id]
}

function printed(id,   plain) {
    plain = without(id)
    return (plain in name_of ? name_of[plain] : plain) substr(id, length(plain) + 1)
}

function title_of(curve) {
    return budgets_are_curves ? words("", "epsilon", curve) : oracles_are_curves ? capitals(curve) : printed(curve)
}
function capitals(oracle) { return toupper(without(oracle)) substr(oracle, length(without(oracle)) + 1) }

# L, R or LR of a method on a query.
function sides(id, query,   plain, part, i, n, result) {
    plain = without(id)
    query = without(query)
    if (!(plain in panels_of))
        return "R"
    n = split(panels_of[plain], part, ",")
    result = part[1]
    for (i = 2; i <= n; i++)
        if (part[i] == query ":R")
            result = result "R"
    return result
}

FNR == NR {
    if (/^#/ || NF == 0)
        next
    split($0, field, "\t")
    looks++
    style[looks] = sprintf("set style line %d pt %s ps %s * pointscale dt %s lc rgb \"%s\" lw 1.2", looks, field[4],
        field[5],
        field[6] == "solid" ? "solid" : "\"" field[6] "\"", field[7])
    if (field[1] == "*") {
        spare[++spares] = looks
    } else {
        known[field[1]] = looks
        name_of[field[1]] = field[2]
        panels_of[field[1]] = field[3]
    }
    next
}

# ---- the table ----

FNR == 1 {
    n = split($0, header, ",")
    for (i = 1; i <= n; i++)
        column[header[i]] = i
    value_name = table
    error_name = "stderr"
    if (table == "selection") {
        value_name = "predicted"
        error_name = "predicted_stderr"
    }
    nmeasures = 0
    for (i = 1; i <= n; i++)
        if (sub(/_defined$/, "", header[i])) {
            measures[++nmeasures] = header[i]
            value_name = header[i]
            error_name = header[i] "_stderr"
        }
    if (table == "times") {
        nmeasures = split("client,server,decode,total", measures, ",")
        value_name = "total_seconds"
        error_name = "total_stderr"
    }
    n = split("experiment,dataset,d,n,oracle,epsilon,repetitions," value_name "," error_name, header, ",")
    for (i = 1; i <= n; i++)
        if (!(header[i] in column))
            fail("expected a column " header[i])
    next
}

{
    split($0, field, ",")
    if (!nmeasures)
        add_row("", value_name, error_name)
    for (m = 1; m <= nmeasures; m++)
        if (table != "times")
            add_row(measures[m], measures[m], measures[m] "_stderr")
        else if (field[column[measures[m] "_seconds"]] != "") # by counts there is only the total
            add_row(measures[m], measures[m] "_seconds", measures[m] "_stderr")
}

function add_row(measure, value_name, error_name,   query) {
    rows++
    experiment = field[column["experiment"]]
    query = "query" in column ? field[column["query"]] : table
    if (!(query in query_seen)) {
        query_seen[query] = 1
        queries[++nqueries] = query
        plain_queries[without(query)]++
    }
    row_query[rows] = query
    # A regret belongs to a surrogate, as an error belongs to a method.
    row_method[rows] = table == "regret" ? field[column["surrogate"]] : "method" in column ? field[column["method"]] : ""
    row_var[rows, "method"] = row_method[rows]
    row_var[rows, "dataset"] = field[column["dataset"]]
    row_var[rows, "d"] = field[column["d"]]
    row_var[rows, "n"] = field[column["n"]]
    row_var[rows, "oracle"] = field[column["oracle"]]
    row_var[rows, "oracle_parameter"] = last_number(field[column["oracle"]])
    row_var[rows, "epsilon"] = field[column["epsilon"]]
    row_var[rows, "parameter"] = "parameter" in column ? field[column["parameter"]] : ""
    row_var[rows, "surrogate"] = table == "selection" ? field[column["surrogate"]] : ""
    row_var[rows, "measure"] = measure
    # What noise alone passes rarely, to mark among the thresholds of a sweep.
    if (query ~ /scale=significance/)
        significance[collected(rows)] = field[column["threshold"]] + 0
    row_var[rows, "s"] = last_number(row_var[rows, "dataset"])
    if (field[column["repetitions"]] + 0 > repetitions + 0)
        repetitions = field[column["repetitions"]]
    row_value[rows] = field[column[value_name]]
    row_error[rows] = field[column[error_name]]
    row_actual[rows] = table == "selection" ? field[column["actual"]] : ""
}

function collected(i) {
    return row_var[i, "dataset"] SUBSEP row_var[i, "d"] SUBSEP row_var[i, "n"] SUBSEP row_var[i, "oracle"] SUBSEP \
        row_var[i, "epsilon"]
}

# A label without its parameters.
function without(label) {
    sub(/\(.*/, "", label)
    return label
}

# The last number of a label such as law(a=1;s=1.5), and what stands before it.
function last_number(label) {
    return match(label, /=[-+.e0-9]+\)$/) ? substr(label, RSTART + 1, RLENGTH - 2) : ""
}
function before_number(label) {
    return match(label, /=[-+.e0-9]+\)$/) ? substr(label, 1, RSTART - 1) : label
}

# ---- axes ----

function count_distinct(query, name, within,   i, seen, count, most, key) {
    for (i = 1; i <= rows; i++) {
        if (row_query[i] != query || row_var[i, name] == "")
            continue
        key = within == "" ? "" : within == "law" ? before_number(row_var[i, "dataset"]) : row_var[i, within]
        if (!((key, row_var[i, name]) in seen)) {
            seen[key, row_var[i, name]] = 1
            most = max(most, ++count[key])
        }
    }
    return most + 0
}

function choose_x(query,   best, most, count) {
    best = "method"
    most = 1
    if ((count = count_distinct(query, "parameter", "")) > most) { best = "parameter"; most = count }
    if ((count = count_distinct(query, "epsilon", "")) > most) { best = "epsilon"; most = count }
    if ((count = count_distinct(query, "n", "dataset")) > most) { best = "n"; most = count }
    if ((count = count_distinct(query, "d", "dataset")) > most) { best = "d"; most = count }
    if ((count = count_distinct(query, "s", "law")) > most) { best = "s"; most = count }
    count = count_distinct(query, "oracle_parameter", "")
    if (count > most && count > count_distinct(query, "method", "")) { best = "oracle_parameter"; most = count }
    return best
}

function x_title(query, x, unit,   text) {
    if (x == "method")
        return ""
    if (x == "epsilon")
        return "privacy budget ε"
    if (x == "n")
        return "users n" (unit == 1 ? "" : " / 10^{" log10(unit) "}")
    if (x == "d")
        return "values d" (unit == 1 ? "" : " / 10^{" log10(unit) "}")
    if (x == "oracle_parameter") {
        for (text = 1; row_var[text, x] == ""; text++)
            continue
        text = before_number(row_var[text, "oracle"])
        return substr(text, index(text, "(") + 1) " of " toupper(without(text))
    }
    if (x == "s") {
        text = before_number(row_var[1, "dataset"])
        sub(/.*[(;]/, "", text)
        return text
    }
    if (query ~ /^set_value/)
        return "size ρ of the random sets (percent of the domain)"
    if (query ~ /^top_k/)
        return "number k of most frequent values"
    if (query ~ /^heavy_hitters/)
        return query ~ /scale=significance/ ? "values β expected above the threshold by chance" \
            : query ~ /scale=fraction/ ? "threshold as a fraction of users" : "threshold in users"
    return "parameter of " spaced(query)
}

function spaced(text) {
    gsub(/_/, " ", text)
    return text
}

function y_title(query, unit) {
    if (table == "n_equivalent")
        return "equivalent users n'" (unit == 1 ? "" : " / 10^{" log10(unit) "}")
    if (table == "regret")
        return "error of choice / smallest"
    if (table == "times")
        return "seconds"
    if (nmeasures)
        return ""
    if (query ~ /^full_domain/)
        return "MSE of frequencies"
    if (query ~ /^set_value/)
        return "MSE of random sets' frequencies"
    if (query ~ /^fixed_sets/)
        return "MSE of categories' frequencies"
    if (query ~ /^top_k/)
        return "MSE of the top k frequencies"
    return "MSE, " spaced(query)
}

function thousands(number,   text, digits) {
    if (number !~ /^[0-9]+$/ || length(number) < 5)
        return number
    for (digits = number; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    return digits text
}

# A variable and its value in words.
function words(query, name, value) {
    if (value == "")
        return ""
    if (name == "dataset")
        return value
    if (name == "oracle")
        return capitals(value)
    if (name == "method")
        return printed(value)
    if (name == "surrogate")
        return "surrogate by " printed(value)
    if (name == "measure")
        return value == "f_score" ? "F-score" : spaced(value)
    if (name == "epsilon")
        return "ε = " value
    if (name == "parameter")
        return (query ~ /^heavy_hitters\(scale=significance/ ? "significance threshold, β = " value : \
            query ~ /^heavy_hitters/ ? "threshold " value : query ~ /^set_value/ ? "ρ = " value " %" : query ~ /^top_k/ ? "k = " value : "parameter " value)
    return name " = " thousands(value)
}

# Tics of a logarithmic axis: decades, or 1, 2, 5 where there are less than two.
function log_tics(low, high,   k, step, text, first, last, mantissa, i, label, m) {
    first = floor(log10(low))
    last = ceil(log10(high))
    if (log10(high / low) >= 2) {
        step = max(1, ceil((last - first) / 6))
        for (k = first; k <= last; k++)
            if (k % step == 0)
                text = text sprintf("%s\"10^{%d}\" 1e%d", text == "" ? "" : ", ", k, k)
            else
                text = text sprintf("%s\"\" 1e%d", text == "" ? "" : ", ", k)
        return text
    }
    m = split(log10(high / low) < 0.5 ? "1 1.5 2 3 4 5 6 7 8 9" : log10(high / low) < 1 ? "1 2 3 5 7" : "1 2 5",
        mantissa, " ")
    for (k = first; k <= last; k++)
        for (i = 1; i <= m; i++) {
            if (mantissa[i] * power(k) < low / 1.0001 || mantissa[i] * power(k) > high * 1.0001)
                continue
            label = k >= -2 && k <= 3 ? sprintf("%g", mantissa[i] * power(k)) \
                : mantissa[i] == 1 ? "10^{" k "}" : mantissa[i] "·10^{" k "}"
            text = text sprintf("%s\"%s\" %se%d", text == "" ? "" : ", ", label, mantissa[i], k)
        }
    return text
}

# Whether all of xs[1..n] are whole multiples of the unit, and few.
function few_whole(xs, n, unit,   i) {
    for (i = 1; i <= n; i++)
        if (xs[i] / unit != int(xs[i] / unit))
            return 0
    return n <= 11
}

function powers_of_two(xs, n,   i, k) {
    for (i = 1; i <= n; i++) {
        for (k = 1; k < xs[i]; k *= 2)
            continue
        if (k != xs[i] + 0)
            return 0
    }
    return 1
}

# Tics at xs[1..n], not more than seven with a label where labels are wide.
function tics_at(xs, n, unit,   i, text) {
    for (i = 1; i <= n; i++)
        text = text sprintf("%s\"%s\" %.10g", i > 1 ? ", " : "",
            n > 7 && xs[n] / unit >= 100 && (n - i) % 2 ? "" : xs[i] / unit, xs[i] / unit)
    return text
}

# ---- pictures ----

function setting_of(i, x,   key, j, name, value) {
    key = ""
    for (j = 1; j <= nvars; j++) {
        name = vars[j]
        value = name == x ? "" : row_var[i, name]
        if (x == "s" && name == "dataset")
            value = before_number(value) ")"
        key = key value SUBSEP
    }
    return key
}

# Which variables differ between a picture's settings, and what they share.
function describe(query,   i, j, part, first, common) {
    common = ""
    for (j = 1; j <= nvars; j++)
        differs[j] = 0
    for (i = 1; i <= nsettings; i++) {
        split(settings[i], part, SUBSEP)
        for (j = 1; j <= nvars; j++) {
            if (i == 1)
                first[j] = part[j]
            if (part[j] != first[j])
                differs[j] = 1
        }
    }
    for (j = 1; j <= nvars; j++)
        if (!differs[j] && vars[j] != "dataset" && first[j] != "" && vars[j] != "surrogate" && \
                vars[j] != "measure" && vars[j] != "method")
            common = common (common == "" ? "" : ", ") words(query, vars[j], first[j])
    return common
}

function setting_title(query, setting,   part, j, text) {
    split(setting, part, SUBSEP)
    for (j = 1; j <= nvars; j++)
        if (part[j] != "" && (differs[j] || vars[j] == "dataset" || vars[j] == "surrogate" || \
                vars[j] == "measure"))
            text = text (text == "" ? "" : ", ") words(query, vars[j], part[j])
    return text
}

function picture(query,   i, x, key, curve, n, side, count, columns) {
    x = choose_x(query)
    nsettings = ncurves = 0
    split("", setting_index)
    split("", curve_index)
    split("", point)
    split("", ids)
    n = count_distinct(query, "method", "")
    oracles_are_curves = table != "regret" && (n < 2 || count_distinct(query, "oracle", "") > n)
    budgets_are_curves = x == "oracle_parameter" && one_oracle(query)
    nvars = split(budgets_are_curves ? "dataset,d,n,parameter,surrogate,measure,method" \
        : oracles_are_curves ? "dataset,d,n,epsilon,parameter,surrogate,measure,method" \
        : "dataset,d,n,oracle,epsilon,parameter,surrogate,measure", vars, ",")
    for (i = 1; i <= rows; i++) {
        if (row_query[i] != query)
            continue
        curve = curve_of(i, x)
        key = setting_of(i, x)
        if (!(key in setting_index)) {
            setting_index[key] = ++nsettings
            settings[nsettings] = key
        }
        if (!(curve in curve_index)) {
            curve_index[curve] = ++ncurves
            curves[ncurves] = curve
        }
        point[setting_index[key], curve_index[curve]] = point[setting_index[key], curve_index[curve]] " " i
    }
    common = describe(query)
    # Columns of panels that a setting has, and the curves in each.
    columns = 0
    split("", in_column)
    if (ncurves <= 7 || x == "method" || oracles_are_curves || budgets_are_curves) {
        columns = 1
        for (i = 1; i <= ncurves; i++)
            in_column[1] = in_column[1] " " i
    } else {
        split("", count)
        for (i = 1; i <= ncurves; i++) {
            side = sides(curves[i], query)
            for (n = 1; n <= 2; n++)
                if (side ~ (n == 1 ? "L" : "R")) {
                    in_column[n] = in_column[n] " " i
                    columns = max(columns, n)
                }
        }
        if (in_column[1] == "") {
            in_column[1] = in_column[2]
            columns = 1
        }
    }
    write_pages(query, x, columns)
}

function write_pages(query, x, columns,   across, per_page, pages, page, first, last, name, text) {
    across = columns > 1 ? columns : nmeasures ? nmeasures : min(3, ceil(sqrt(nsettings)))
    per_page = columns > 1 ? nmeasures ? nmeasures : 4 : 4 * across
    pages = ceil(nsettings / per_page)
    text = plain_queries[without(query)] > 1 ? query : without(query)
    name = table == "mse" || nmeasures ? text : table (nqueries > 1 ? "-" text : "")
    gsub(/[^A-Za-z0-9_=.-]|^\./, "_", name)
    # Labels may differ in nothing but such characters.
    while (name in named)
        name = name "_"
    named[name]
    for (page = 1; page <= pages; page++) {
        first = (page - 1) * per_page + 1
        last = min(page * per_page, nsettings)
        write_page(query, x, columns, across, first, last, out "/" name (pages > 1 ? "-" page : "") ".curves.gp")
    }
}

# Whether only the parameters of oracles differ.
function one_oracle(query,   i, name) {
    for (i = 1; i <= rows; i++) {
        if (row_query[i] != query)
            continue
        if (name == "")
            name = without(row_var[i, "oracle"])
        if (without(row_var[i, "oracle"]) != name)
            return 0
    }
    return 1
}

function curve_of(i, x) {
    return budgets_are_curves ? row_var[i, "epsilon"] : !oracles_are_curves ? row_method[i] : x == "oracle_parameter" ? without(row_var[i, "oracle"]) \
        : row_var[i, "oracle"]
}

# x of a row on its axis; "" where it has none, and is a horizontal line.
function x_of(i, x) {
    return x == "method" ? curve_index[curve_of(i, x)] : row_var[i, x]
}

function sort_numbers(list, n,   i, j, item) {
    for (i = 2; i <= n; i++) {
        item = list[i]
        for (j = i - 1; j >= 1 && list[j] + 0 > item + 0; j--)
            list[j + 1] = list[j]
        list[j + 1] = item
    }
}

function write_page(query, x, columns, across, first, last, file,
        s, c, i, k, n, mark, marked, drawn, part, member, xs, nx, seen, value, error, low, high, text, panel, npanels, xunit, yunit, xlog,
        ylog, most, panel_low, panel_high, blocks, longest, legend, xmin, xmax, least, title, m, keycols, keyrows, side) {
    # x axis
    split("", seen)
    nx = 0
    for (i = 1; i <= rows; i++)
        if (row_query[i] == query && x_of(i, x) != "" && !(x_of(i, x) in seen)) {
            seen[x_of(i, x)] = 1
            xs[++nx] = x_of(i, x)
        }
    sort_numbers(xs, nx)
    xmin = xs[1] + 0
    xmax = xs[nx] + 0
    xlog = x != "method" && xmin > 0 && xmax / xmin >= 50 && xs[ceil(nx / 2)] < xmax / 4
    xunit = (x == "n" || x == "d") && !xlog && xmax >= 10000 ? power(ceil(log10(xmax) - 1e-9) - 1) : 1
    # y axis
    most = 0
    least = 0
    for (i = 1; i <= rows; i++)
        if (row_query[i] == query && row_value[i] != "") {
            most = max(most, row_value[i] + 0)
            if (row_value[i] > 0)
                least = least == 0 ? row_value[i] + 0 : min(least, row_value[i] + 0)
        }
    ylog = most > 0 && (!nmeasures || table == "times") && (table == "regret" ? most / least > 20 : table != "n_equivalent" || x != "n" || xlog)
    yunit = table == "n_equivalent" && !ylog && most >= 10000 ? power(floor(log10(most))) : 1

    for (i = 1; i <= looks; i++)
        print style[i] > file
    print "$data << EOD" > file
    panel = blocks = longest = 0
    for (s = first; s <= last; s++)
        for (c = 1; c <= columns; c++) {
            panel++
            title[panel] = setting_title(query, settings[s])
            panel_low = panel_high = ""
            legend[panel] = blocks + 1
            mark[panel] = ""
            n = split(in_column[c], member, " ")
            for (k = 1; k <= n; k++) {
                if (!((s, member[k]) in point))
                    continue
                blocks++
                block_title[blocks] = title_of(curves[member[k]])
                block_look[blocks] = look(curves[member[k]])
                longest = max(longest, length(block_title[blocks]))
                printf "%s# %s\n", (blocks > 1 ? "\n\n" : ""), curves[member[k]] > file
                m = split(point[s, member[k]], part, " ")
                if (x == "parameter" && query !~ /scale=/ && collected(part[1]) in significance) {
                    value = significance[collected(part[1])]
                    mark[panel] = value >= xmin && value <= xmax ? value : ""
                    marked = marked || mark[panel] != ""
                }
                sort_points(part, m, x)
                drawn = 0
                for (i = 1; i <= m; i++) {
                    value = row_value[part[i]]
                    if (value == "" || (ylog && value + 0 <= 0))
                        continue
                    error = row_error[part[i]] + 0
                    low = (value - error) / yunit
                    high = (value + error) / yunit
                    if (ylog && low <= 0)
                        low = value / yunit / 100
                    for (side = 1; side <= (x_of(part[i], x) == "" ? 2 : 1); side++)
                        printf "%.10g %.10g %.10g %.10g %s\n",
                            (x_of(part[i], x) != "" ? x_of(part[i], x) : side == 1 ? xmin : xmax) / xunit,
                            value / yunit, low, high, (row_actual[part[i]] == "" ? "NaN" : row_actual[part[i]]) > file
                    drawn++
                    value = value / yunit
                    low = max(low, ylog ? value / 3 : low)
                    if (row_actual[part[i]] != "" && row_actual[part[i]] > 0) {
                        low = min(low, row_actual[part[i]] + 0)
                        high = max(high, row_actual[part[i]] + 0)
                    }
                    panel_low = panel_low == "" ? low : min(panel_low, low)
                    panel_high = panel_high == "" ? high : max(panel_high, high)
                }
                # gnuplot complains of a curve without points, not of one out of sight.
                if (!drawn)
                    print "1e30 1 1 1 NaN" > file
                print "# end" > file
            }
            legend_last[panel] = blocks
            y_low[panel] = panel_low
            y_high[panel] = panel_high
        }
    print "EOD" > file
    npanels = panel
    printf "columns = %d\nrows = %d\npanels = %d\n", across, ceil(npanels / across), npanels > file
    printf "legends = %d\n", (columns > 1 ? across : 1) > file
    text = common (common == "" ? "" : "; ") repetitions " repetition" (repetitions == 1 ? "" : "s") \
        (table == "selection" ? "; points: predicted, lines: actual" : "") \
        (repetitions > 1 ? (table == "selection" ? ", " : "; ") "bars: one standard error" : "") \
        (marked ? "; vertical line: significance threshold" : "")
    printf "header = %s\nnote = %s\n", quote(experiment), quote(text) > file
    printf "xtitle = %s\nytitle = %s\n", quote(x_title(query, x, xunit)), quote(y_title(query, yunit)) > file
    xmin /= xunit
    xmax /= xunit
    if (x == "method") {
        text = ""
        for (i = 1; i <= ncurves; i++)
            text = text (i > 1 ? ", " : "") quote(title_of(curves[i])) " " i
        printf "set xtics noenhanced rotate by 45 right (%s)\nxlow = 0.5\nxhigh = %g\nbottom = %d\n", text,
            ncurves + 0.5, ceil(longest * 0.55) > file
    } else if (xlog) {
        printf "set logscale x\nset xtics (%s)\nxlow = %g\nxhigh = %g\nbottom = 0\n",
            (powers_of_two(xs, nx) && nx <= 14 ? tics_at(xs, nx, 1) : log_tics(xmin, xmax)), xmin / 1.3, xmax * 1.3 > file
    } else {
        if (few_whole(xs, nx, xunit))
            printf "set xtics (%s)\n", tics_at(xs, nx, xunit) > file
        printf "xlow = %g\nxhigh = %g\nbottom = 0\n", xmin - (xmax - xmin) * 0.03, xmax + (xmax - xmin) * 0.03 > file
    }
    printf "category = %d\nselection = %d\n", (x == "method"), (table == "selection") > file
    printf "ylog = %d\n", ylog > file
    printf "array panel_title[%d]\narray first[%d]\narray last[%d]\narray ylow[%d]\narray yhigh[%d]\narray ytics[%d]\n" \
        "array mark[%d]\n", npanels, npanels, npanels, npanels, npanels, npanels, npanels > file
    for (i = 1; i <= npanels; i++) {
        low = y_low[i]
        high = y_high[i]
        if (low == "") {
            low = ylog ? 1e-9 : 0
            high = 1
        }
        if (ylog) {
            k = max(1.15, exp(0.06 * log(high / low)))
            low /= k
            high *= k
            text = log_tics(low, high)
        } else {
            k = high - min(low, 0)
            high = nmeasures ? 1.05 : high + 0.05 * (k > 0 ? k : 1)
            low = min(low, 0)
            text = ""
        }
        printf "panel_title[%d] = %s\nfirst[%d] = %d\nlast[%d] = %d\nylow[%d] = %.6g\nyhigh[%d] = %.6g\n" \
            "ytics[%d] = %s\nmark[%d] = %s\n",
            i, quote(title[i]), i, legend[i], i, legend_last[i], i, low, i, high, i, quote(text), i, quote(mark[i]) > file
    }
    printf "array curve_title[%d]\narray curve_look[%d]\n", max(1, blocks), max(1, blocks) > file
    for (i = 1; i <= blocks; i++)
        printf "curve_title[%d] = %s\ncurve_look[%d] = %d\n", i, quote(block_title[i]), i, block_look[i] > file
    # A legend as wide as a panel, or as the page.
    keycols = max(1, floor((columns > 1 ? 1 : across == 1 ? 1.4 : across) * 42 / (longest + 8)))
    n = 0
    for (i = 1; i <= npanels; i++)
        n = max(n, legend_last[i] - legend[i] + 1)
    keycols = min(keycols, max(1, ceil(n / ceil(n / keycols))))
    keyrows = x == "method" ? 0 : ceil(n / keycols)
    printf "keycolumns = %d\nkeyrows = %d\n", keycols, keyrows > file
    close(file)
}

function sort_points(part, m, x,   i, j, item) {
    for (i = 2; i <= m; i++) {
        item = part[i]
        for (j = i - 1; j >= 1 && x_of(part[j], x) + 0 > x_of(item, x) + 0; j--)
            part[j + 1] = part[j]
        part[j + 1] = item
    }
}

END {
    if (failed)
        exit 2
    for (q = 1; q <= nqueries; q++)
        picture(queries[q])
}
