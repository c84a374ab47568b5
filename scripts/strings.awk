# strings.awk - the numbers of the sentences of studies/strings.md, from the tables search.csv of its configs: a line NAME TAB
# TEXT each. A sentence that does not hold for the tables is an error.
function hold(true, sentence) { if (!true) { print "strings.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
function f3(x) { return sprintf("%.3f", x) }
function f1(x) { return sprintf("%.1f", x) }
function apart(a, b, what) { # standard errors by which a is above b
    gap = value[a, what] - value[b, what]; error = sqrt(stderr[a, what] ^ 2 + stderr[b, what] ^ 2)
    return error > 0 ? gap / error : gap > 0 ? 999 : gap < 0 ? -999 : 0
}
function at(dataset, epsilon, protocol) { return dataset SUBSEP epsilon SUBSEP protocol }
function above(a, b, what) { return f3(value[a, what]) " against " f3(value[b, what]) }
function and_of(list, count,    text, i) {
    for (i = 1; i <= count; i++) text = text (i == 1 ? "" : i == count ? " and " : ", ") list[i]
    return text
}
FNR == 1 {
    for (i = 1; i <= NF; i++) column[$i] = i
    config = FILENAME; sub(/\/search.csv$/, "", config); sub(/.*\//, "", config)
    next
}
{
    p = $column["protocol"]; o = $column["oracle"]; e = $column["epsilon"]
    if (config ~ /table2/) { keep = p ~ /keep=10/ ? 10 : 20; sub(/\(.*/, "", p); key = "t2" SUBSEP $column["dataset"] SUBSEP o SUBSEP p SUBSEP keep }
    else if (config == "strings-oracles") { key = o SUBSEP e SUBSEP p; oracle[o] = 1 }
    else if (config == "strings-n") { key = at("n", $column["n"], p); n_of[$column["n"]] = 1 }
    else if (config == "strings-epsilon") { key = at("e", e, p); e_of[e] = 1 }
    else if (config ~ /findings/) key = p
    else key = at($column["dataset"], e, p)
    split("f1 f1_vldb precision recall", measure, " ")
    for (m = 1; m <= 4; m++) { value[key, measure[m]] = $column[measure[m]] + 0; stderr[key, measure[m]] = $column[measure[m] "_stderr"] + 0 }
    if (config ~ /table2/ && !counted[$column["dataset"]]++) times[++ntimes] = $column["repetitions"] " of `" $column["dataset"] "`"
    if (config ~ /table2/) sketch[o] = 1
}
function variants(    levels, i, j, d, p, equal, z, gain, most, better, worse, name) {
    split("1 2 4", eps, " "); split("pem_sized pem_isotone pem_adaptive pem_joint", variant, " "); split("letters bits", data, " ")
    for (i = 1; i <= 3; i++) {
        equal = at("bits", eps[i], "pem with fewer levels"); p = at("bits", eps[i], "pem")
        hold(apart(equal, p, "f1") > 3, "on bits fewer levels gain at every epsilon")
        levels = value[equal, "f1"] - value[p, "f1"]; gains[i] = f3(levels)
        for (j = 1; j <= 4; j++) {
            gain = value[at("bits", eps[i], variant[j]), "f1"] - value[equal, "f1"]
            most = gain > most ? gain : most
            hold(gain < levels, "the levels give the largest gain")
        }
    }
    print "levels_gain", and_of(gains, 3)
    print "variants_gain", f3(most)
    for (i = 1; i <= 2; i++) {
        equal = at(data[i], 1, "pem with fewer levels"); p = at(data[i], 1, "pem_adaptive")
        hold(apart(p, equal, "f1") > 2 && apart(p, equal, "precision") > 2, "the threshold gains at epsilon = 1, in precision")
        print "adaptive_" data[i], above(p, equal, "f1")
        precision[i] = above(p, equal, "precision")
        z = apart(at(data[i], 4, "pem_adaptive"), at(data[i], 4, "pem with fewer levels"), "f1")
        hold(z <= 2 && z >= -2, "at epsilon = 4 the threshold makes no difference")
    }
    print "adaptive_precision", and_of(precision, 2)
    for (d = 1; d <= 2; d++)
        for (i = 1; i <= 3; i++) {
            equal = at(data[d], eps[i], "pem with fewer levels")
            for (j = 1; j <= 2; j++) {
                z = apart(at(data[d], eps[i], variant[j]), equal, "f1"); z = z < 0 ? -z : z
                far[j] = z > far[j] ? z : far[j]
            }
            z = apart(at(data[d], eps[i], "pem_joint"), at(data[d], eps[i], "pem_adaptive"), "f1")
            name = data[d] " with eps = " eps[i]
            if (z > 2) better = better (better == "" ? "" : ", ") name
            if (z < -2) worse = worse (worse == "" ? "" : ", ") name
        }
    print "sized_z", f1(far[1]); print "isotone_z", f1(far[2])
    print "joint_better", better == "" ? "no point" : better
    print "joint_worse", worse == "" ? "none" : worse
}
function queries(    levels, sized, i, j, equal, eight, best, p) {
    split("1 2 4", eps, " "); split("pem_sized pem_isotone pem_adaptive pem_joint", variant, " ")
    for (i = 1; i <= 3; i++) {
        equal = at("aol6", eps[i], "pem with fewer levels"); eight = at("aol6", eps[i], "pem step 8")
        hold(apart(equal, eight, "f1") > -2 && apart(eight, at("aol6", eps[i], "pem step 1"), "f1") > 2, "fewer levels find more")
        if (apart(equal, eight, "f1") > 2) levels = levels (levels == "" ? "" : " and ") eps[i]
        z_of[i] = f1(apart(at("aol6", eps[i], "pem_sized"), equal, "f1"))
        if (z_of[i] + 0 > 2) sized = sized (sized == "" ? "" : " and ") eps[i]
        hold(z_of[i] + 0 > -2, "groups of different sizes are nowhere worse")
        best = equal
        for (j = 1; j <= 4; j++) {
            p = at("aol6", eps[i], variant[j])
            if (value[p, "f1"] > value[best, "f1"]) { best = p; winner[i] = "`" variant[j] "`" }
        }
    }
    hold(levels != "" && sized != "", "shared levels and groups of different sizes gain somewhere")
    print "aol_levels", levels; print "aol_gain", sized
    hold(winner[1] ~ /adaptive|joint/ && winner[2] ~ /adaptive|joint/, "the threshold gains most at epsilon = 1 and 2")
    print "aol_sized", f3(value[at("aol6", 4, "pem_sized"), "f1"]); print "aol_eight", f3(value[at("aol6", 4, "pem step 8"), "f1"])
    print "aol_one", f3(value[at("aol6", 4, "pem step 1"), "f1"])
    print "aol_sized_z", and_of(z_of, 3)
    print "aol_best", winner[1] == winner[2] ? winner[1] " at both" : winner[1] " and " winner[2]
    p = at("aol6", 1, "pem_adaptive"); equal = at("aol6", 1, "pem with fewer levels")
    hold(apart(p, equal, "precision") > 2 && apart(p, equal, "recall") < 2, "by fewer wrong strings and not by more right ones")
    print "aol_precision", f3(value[p, "precision"]); print "aol_equal_precision", f3(value[equal, "precision"])
    print "aol_recall", f3(value[p, "recall"]); print "aol_equal_recall", f3(value[equal, "recall"])
}
# Where pem_planned is above or below others by more than two standard errors, at the nine points of the first two tables.
function count_planned(names, dataset, i,    list, count, k, z) {
    count = split(names, list, "|")
    for (k = 1; k <= count; k++) {
        z = apart(at(dataset, eps[i], "pem_planned"), at(dataset, eps[i], list[k]), "f1")
        more[list[k]] += z > 2
        if (z < -2) behind = behind (behind == "" ? "" : ", ") "`" list[k] "` on " dataset " at ε = " eps[i]
    }
}
function planned(    d, i, pem, step) {
    split("1 2 4", eps, " "); split("letters bits aol6", data, " ")
    for (d = 1; d <= 3; d++)
        for (i = 1; i <= 3; i++) {
            if (d < 3) count_planned("pem", data[d], i)
            else count_planned("pem step 1|pem step 8", data[d], i)
            count_planned("pem with fewer levels|pem_sized|pem_isotone|pem_adaptive|pem_joint", data[d], i)
        }
    print "planned_pem", more["pem"]; print "planned_steps", more["pem step 8"]
    print "planned_adaptive", more["pem_adaptive"]; print "planned_joint", more["pem_joint"]
    print "planned_fewer", more["pem with fewer levels"]
    print "planned_behind", behind == "" ? "none" : behind
    for (i = 2; i <= 3; i++)
        hold(apart(at("letters", eps[i], "pem_planned"), "olh" SUBSEP eps[i] SUBSEP "treehist", "f1") > 2 && \
            apart(at("letters", eps[i], "pem_planned"), "olh" SUBSEP eps[i] SUBSEP "sfp", "f1") > 2, "pem_planned finds more than treehist and sfp")
    for (d = 1; d <= 3; d += 2) {
        pem = at(data[d], 1, "pem_adaptive"); step = at(data[d], 1, "pem_planned")
        hold(value[pem, "f1"] > value[step, "f1"] && apart(pem, step, "f1") <= 2, "pem_adaptive has a larger mean at epsilon = 1, by no more than two standard errors")
        low[(d + 1) / 2] = above(pem, step, "f1")
    }
    print "planned_adaptive_low", and_of(low, 2)
    hold(value[at("letters", 4, "pem"), "f1"] > value[at("letters", 4, "pem_planned"), "f1"], "pem has a larger mean on letters at epsilon = 4")
    print "planned_pem_high", f3(value[at("letters", 4, "pem"), "f1"]) " against " f3(value[at("letters", 4, "pem_planned"), "f1"])
}
function returned(    i, eight, least, z, p) {
    p = "pem over letters without pad"
    hold(value[p, "recall"] == 0.7 && stderr[p, "recall"] == 0 && f3(value[p, "f1_vldb"]) == f3(1.4 / 1.7), "seven of ten in every repetition")
    hold(value["pem over letters", "recall"] == 0.8 && stderr["pem over letters", "recall"] == 0, "eight with the pad")
    print "letters_f1", f3(value[p, "f1_vldb"])
    print "eight_f1", f3(value["pem step 8", "f1_vldb"]); print "chance_f1", f3(value["pem step 8 (groups by chance)", "f1_vldb"])
    z = apart("pem step 8 (groups by chance)", "pem step 8", "f1_vldb")
    hold(z < 2 && z > -2, "groups by chance are no significant difference")
    print "chance_z", f1(z < 0 ? -z : z)
    print "ten_f1", f3(value["pem step 8 (ten returned)", "f1_vldb"]); print "ten_plain", f3(value["pem step 8 (ten returned)", "f1"])
    print "twenty_plain", f3(value["pem step 8", "f1"])
    hold(value["pem step 8 (ten returned)", "f1_vldb"] <= value["pem step 8", "f1_vldb"] && \
        apart("pem step 8 (ten returned)", "pem step 8", "f1") > 3, "ten returned: a smaller F1 of PVLDB, a larger plain one")
    print "sized_f1", f3(value["pem_sized (ten returned)", "f1_vldb"]); print "joint_f1", f3(value["pem_joint (ten returned)", "f1_vldb"])
    least = 999
    split("pem step 8|pem step 8 (groups by chance)|pem step 8 from 8 bits|pem step 8 from 13 bits|pem step 8 (ten returned)", eight, "|")
    for (i = 1; i <= 5; i++) {
        z = apart("pem_sized (ten returned)", eight[i], "f1_vldb"); least = z < least ? z : least
        z = apart("pem_joint (ten returned)", eight[i], "f1_vldb"); least = z < least ? z : least
    }
    hold(least > 2, "pem_sized and pem_joint are better than steps of eight bits")
    print "better_z", f1(least)
    hold(value["pem_adaptive", "recall"] == 1 && value["pem_joint", "recall"] == 1, "all of the ten are among the strings returned")
    z = apart("pem step 8", "pem step 8 from 8 bits", "f1_vldb")
    hold(z > 3, "levels of 8, 16, ... bits are worse")
    print "worse_z", f1(z)
}
function oracles(    o, p, i, z, most, largest, e) {
    split("pem pem_adaptive treehist sfp", four, " ")
    most = -999
    for (o in oracle)
        for (i = 1; i <= 4; i++)
            for (e = 2; e <= 4; e += 2) {
                p = o SUBSEP e SUBSEP four[i]
                if (o == "grr") { largest = value[p, "f1"] > largest ? value[p, "f1"] : largest }
                if (o == "olh") continue
                z = apart(p, "olh" SUBSEP e SUBSEP four[i], "f1")
                if (z > most && z < 900) most = z
            }
    hold(most <= 3, "no other oracle is better than olh") # of 32 comparisons, a level of 5 % in all
    hold(largest < 0.1, "grr is no oracle for a search")
    print "oracle_z", f1(most); print "grr_f1", f3(largest)
    print "sfp_precision", f3(value["olh" SUBSEP 2 SUBSEP "sfp", "precision"]); print "sfp_recall", f3(value["olh" SUBSEP 2 SUBSEP "sfp", "recall"])
    hold(value["olh" SUBSEP 2 SUBSEP "sfp", "precision"] > 2 * value["olh" SUBSEP 2 SUBSEP "sfp", "recall"], "sfp has few wrong strings, but misses many")
}
# Where pem is above another by more than two standard errors: the ranges of epsilon and n, without gaps.
function over(other,    text) {
    text = over_range("e", e_of, other, "ε"); text = text " and " over_range("n", n_of, other, "n")
    hold(!gaps, "pem is above " other " without gaps")
    return text
}
function over_range(axis, points, other, name,    x, low, high, z, seen, below, all, least, most) {
    low = ""; least = most = ""
    for (x in points) {
        if (least == "" || x + 0 < least) least = x + 0
        if (x + 0 > most) most = x + 0
        z = apart(at(axis, x, "pem"), at(axis, x, other), "f1")
        hold(z >= -2, "pem is not below " other " at " name " = " x)
        if (z <= 2) continue
        if (low == "" || x + 0 < low) low = x + 0
        if (x + 0 > high) high = x + 0
    }
    for (x in points)
        if (x + 0 > low && x + 0 < high && apart(at(axis, x, "pem"), at(axis, x, other), "f1") <= 2) gaps = 1
    if (low == least && high == most) return "at every " name
    return "from " name " = " whole(low) " to " whole(high)
}
function whole(x) { return x < 1000 ? x : sprintf("%d,%03d", x / 1000, x % 1000) ; }
function row(dataset, o, p, keep) { return "t2" SUBSEP dataset SUBSEP o SUBSEP p SUBSEP keep }
function urls_f1(o) { return value[row("urls6", o, "pem", 10), "f1_vldb"] }
function urls_apart(a, b,    z) { z = apart(row("urls6", a, "pem", 10), row("urls6", b, "pem", 10), "f1_vldb"); return z < 0 ? -z : z }
# pem on urls6 with T = 10: the rows of a sketch matter if at every size all three kinds of rows differ; its size does not
# if no two sizes do. Of 9 comparisons one is beyond 2.8 standard errors by chance in 5 % of cases.
function urls_rows(size,    kind, text, i, k, v, low, high, sizes, rows) {
    split("CMS FLH HCMS", kind, " "); rows = 999
    for (i = 1; i <= 3; i++) {
        low = 2; high = 0
        for (k = 1; k <= 3; k++) {
            v = urls_f1(kind[i] " " size[k]); low = v < low ? v : low; high = v > high ? v : high
            v = urls_apart(kind[i] " " size[k], kind[i] " " size[k % 3 + 1]); sizes = v > sizes ? v : sizes
            v = urls_apart(kind[i] " " size[k], kind[i % 3 + 1] " " size[k]); rows = v < rows ? v : rows
        }
        text[i] = f3(low) " to " f3(high) " with " kind[i]
    }
    print "urls_range", and_of(text, 3); print "urls_sizes", f1(sizes); print "urls_kinds", f1(rows)
    hold(sizes <= 2.8, "on urls6 no two sizes of a sketch differ")
    hold(rows > 2, "on urls6 the rows of sketches differ")
}
function rows(    o, d, k, z, p, least, near, rivals, beyond, most, larger, sure, all, size, v, cms, flh, words_low, words_high) {
    least = 999; words_low = 2
    split("urls6 aol6", set, " "); split("32x1024 128x1024 1024x2048", size, " "); split("treehist sfp", rival, " ")
    for (o in sketch) {
        for (k = 10; k <= 20; k += 10) {
            for (d = 1; d <= 2; d++) {
                for (p = 1; p <= 2; p++) {
                    z = apart(row(set[d], o, "pem", k), row(set[d], o, rival[p], k), "f1_vldb"); rivals++; beyond += z > 2
                    if (z < least) { least = z; near = "`" rival[p] "` over " o " with T = " k " on `" set[d] "`" }
                }
            }
            hold(value[row("aol6", o, "sfp", k), "f1_vldb"] > value[row("aol6", o, "treehist", k), "f1_vldb"], "sfp is ahead of treehist on aol6")
            for (p = 1; p <= 2; p++) { v = value[row("urls6", o, p == 1 ? "sfp" : "treehist", k), "f1_vldb"]; most = v > most ? v : most }
            hold(value[row("words", o, "pem", k), "f1_vldb"] + value[row("words", o, "treehist", k), "f1_vldb"] == 0, "pem and treehist find no words")
            v = value[row("words", o, "sfp", k), "f1_vldb"]; if (v < words_low) words_low = v; if (v > words_high) words_high = v
        }
        for (d = 1; d <= 2; d++) {
            z = apart(row(set[d], o, "pem", 10), row(set[d], o, "pem", 20), "f1_vldb"); all++; larger += z > 0; sure += z > 2
            hold(z > -2, "T = 20 is not better")
        }
    }
    hold(least > -2 && beyond > 0.9 * rivals, "pem is ahead in nearly every row, and behind in none")
    print "pem_rows", beyond " of " rivals; print "pem_near", near; print "pem_z", f1(least)
    print "urls_most", f3(most); hold(most < 0.1, "on urls6 sfp and treehist find little")
    print "ten_rows", larger " of " all; print "ten_sure", sure
    urls_rows(size)
    for (k = 1; k <= 3; k++) { cms[k] = f3(value[row("aol6", "CMS " size[k], "pem", 10), "f1_vldb"]); flh[k] = f3(value[row("aol6", "FLH " size[k], "pem", 10), "f1_vldb"]) }
    hold(cms[3] / cms[1] > 1.3 && flh[3] / flh[1] < 1.1, "on aol6 CMS gains by its size and FLH hardly")
    print "aol_cms", and_of(cms, 3); print "aol_flh", and_of(flh, 3)
    print "words_sfp", "an F1 of " f3(words_low) " to " f3(words_high)
    print "repetitions", and_of(times, ntimes)
}
END {
    variants(); queries(); planned(); returned(); oracles()
    print "over_treehist", over("treehist"); print "over_sfp", over("sfp")
    rows()
    exit failed
}
