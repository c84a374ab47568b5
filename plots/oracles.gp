# The state of the field on one page: error over the optimum against bits of a report (above) and against the server's
# operations for a user (below), one column an epsilon. Labels come as data.
# usage: gnuplot -c oracles.gp POINTS.tsv OUTPUT.svg
# POINTS.tsv: epsilon, oracle, variance over the optimum, bits, operations for a user.
set terminal svg size 1360,900 font "sans-serif,12"
set output ARG2
set datafile separator "\t"
set logscale xy
# Percent above the optimum; what has it stands at the foot.
floor = 0.05
above(x) = 100*(x - 1) > floor ? 100*(x - 1) : floor
set yrange [floor/1.5:5e4]
set format y "%g"
set format x "10^%T"
set grid lc rgb "#dddddd"
set style textbox opaque noborder
unset key
set multiplot layout 2,4
do for [row = 0:1] {
    set xlabel (row ? "server's operations for a user" : "bits of a report")
    set xrange [*:*]
    if (row) { set xrange [0.5:5000] } else { set xrange [5:3e5] }
    do for [column = 1:4] {
        epsilon = word("0.5 1 2 4", column)
        set title "epsilon = ".epsilon
        set ylabel (column == 1 ? "variance above the optimum, %" : "")
        plot ARG1 using ($1 == epsilon + 0 ? (row ? $5 : $4) : NaN):(above($3)) with points pt 7 ps 0.5 lc rgb "#1f77b4", \
             '' using ($1 == epsilon + 0 ? (row ? $5 : $4) : NaN):(above($3)):2 with labels left offset 0.6,0.4 font ",9" noenhanced
    }
}
unset multiplot
