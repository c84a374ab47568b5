# Mean estimate, bias or variance of every value, sorted by true count; a panel for each method. Draws a layout of
# values.awk. Columns of $data: rank, count, mean, bias, standard error of the mean, variance / n.
load here . "/style.gp"
load layout
columns = panels < 3 ? panels : 3
rows = (panels + columns - 1) / columns
panel_width = 2.6
panel_height = 1.7
left = 0.72
gap = 0.5
width = columns * panel_width + 0.1
height = 0.6 + rows * (panel_height + 0.1) + 0.1
eval terminal(width, height)
x0(c) = (c * panel_width + left) / width
x1(c) = ((c + 1) * panel_width - 0.08) / width
y1(r) = 1 - (0.72 + r * (panel_height + 0.1)) / height
y0(r) = 1 - (0.72 + r * (panel_height + 0.1) + panel_height - gap) / height

set multiplot
eval "set label 1 header at screen 0.5, screen 1 - 0.15 / height center noenhanced " . large
if (kind eq "mean") {
    note = note . "; points: mean estimate, line: truth, band: two standard errors about it"
    ytitle = "users"
    set logscale y
    set yrange [lowest:highest]
}
if (kind eq "bias") {
    note = note . "; band: two standard errors about 0"
    ytitle = "bias in users"
}
if (kind eq "variance") {
    note = note . "; band: two standard errors, as of normal estimates"
    ytitle = "variance of users / n"
    set yrange [0:*]
}
set label 2 note at screen 0.5, screen 1 - 0.34 / height center noenhanced textcolor rgb "#555555"
set xrange [1 - d * 0.02:d * 1.02]
set xtics 0, d < 100 ? 20 : 10 ** floor(log10(d)) * (d / 10 ** floor(log10(d)) < 2.5 ? 0.5 : 2)
set ytics autofreq
unset key
dot = 0.3 * pointscale
relative = repetitions > 1 ? sqrt(2. / (repetitions - 1)) : NaN
do for [p = 1:panels] {
    r = (p - 1) / columns
    c = (p - 1) % columns
    set lmargin at screen x0(c)
    set rmargin at screen x1(c)
    set tmargin at screen y1(r)
    set bmargin at screen y0(r)
    set title panel_title[p] noenhanced offset 0, -0.7
    set xlabel (p + columns > panels) ? "rank of the value" : "" offset 0, 0.4
    set ylabel (c == 0) ? ytitle : "" offset kind eq "bias" ? 1 : 0, 0
    largest = 0
    if (kind eq "bias") {
        stats $data index p - 1 using 4 nooutput
        if (STATS_records > 0) { largest = abs(STATS_min) > abs(STATS_max) ? abs(STATS_min) : abs(STATS_max) }
    }
    set format y kind eq "mean" ? "10^{%T}" : largest >= 10000 ? "%.0s%c" : "%.10g"
    if (kind eq "mean") {
        plot $data index p - 1 using 1:($2 - 2 * $5 > lowest ? $2 - 2 * $5 : lowest):($2 + 2 * $5) with filledcurves \
                 linecolor rgb "#d0d0d0", \
             $data index p - 1 using 1:($3 > 0 ? $3 : NaN) with points pointtype 7 pointsize dot \
                 linecolor rgb "#3b82c4", \
             $data index p - 1 using 1:2 with lines linecolor rgb "black" linewidth 1.5
    }
    if (kind eq "bias") {
        plot $data index p - 1 using 1:(-2 * $5):(2 * $5) with filledcurves linecolor rgb "#d0d0d0", \
             $data index p - 1 using 1:4 with points pointtype 7 pointsize dot linecolor rgb "#0072b2"
    }
    if (kind eq "variance") {
        plot $data index p - 1 using 1:($6 * (1 - 2 * relative)):($6 * (1 + 2 * relative)) with filledcurves \
                 linecolor rgb "#a8a8a8", \
             $data index p - 1 using 1:6 with points pointtype 7 pointsize 0.6 * dot linecolor rgb "#0072b2"
    }
    unset label 1
    unset label 2
}
unset multiplot
