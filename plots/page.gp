# Draws a page of panels from the layout that the program writes (bench/figures/layout.h), which is read from
# descriptor 3; the picture goes to standard output. Texts are passed as the numbers of their bytes and drawn unchanged:
# nothing in a table or a config is executed as a part of this script.
layout = "/dev/fd/3"
set encoding utf8
set table $read
plot layout index 0 using (format = int($1), width = $2, height = $3, texts = int($4), tics = int($5), \
    panels = int($6), layers = int($7), rows = int($8), 0):(0) with table

array written[texts + 1]
array left[texts + 1]
array up[texts + 1]
array align[texts + 1]
array angle[texts + 1]
array size[texts + 1]
array ink[texts + 1]
array markup[texts + 1]
do for [i = 1:texts] { written[i] = "" }
if (texts > 0) {
    plot layout index 2 using (i = int($1), written[i] = written[i] . sprintf("%c", int($2)), 0):(0) with table
    plot layout index 3 using (i = int($0) + 1, left[i] = $1, up[i] = $2, align[i] = int($3), angle[i] = $4, \
        size[i] = $5, ink[i] = int($6), markup[i] = int($7), 0):(0) with table
}
array tic[tics + 1]
if (tics > 0) { plot layout index 4 using (tic[int($0) + 1] = $1, 0):(0) with table }
array panel[19 * panels]
plot layout index 1 using (sum [k = 1:19] (panel[19 * int($0) + k] = column(k), 0)):(0) with table
array pointtype[layers + 1]
array pointsize[layers + 1]
array dash[layers + 1]
array thickness[layers + 1]
array colour[layers + 1]
array start[layers + 1]
array count[layers + 1]
# gnuplot evaluates the style of the first layer, and reads its rows, even if plot iterates over none.
pointtype[layers + 1] = pointsize[layers + 1] = dash[layers + 1] = thickness[layers + 1] = 1
colour[layers + 1] = 0
start[layers + 1] = rows
count[layers + 1] = 1
if (layers > 0) {
    plot layout index 5 using (i = int($0) + 1, pointtype[i] = int($1), pointsize[i] = $2, dash[i] = int($3), \
        thickness[i] = $4, colour[i] = int($5), start[i] = rows + int($6), count[i] = int($7), 0):(0) with table
}
unset table

# Terminals: font sizes and line widths in points, whatever the unit of the terminal is.
if (format == 0) {
    dots = 130.
    set terminal svg size dots * width, dots * height dynamic background rgb "white" \
        font "DejaVu Sans,Arial,sans-serif,10"
    points = dots / 72
    scale = 0.85
}
if (format == 1) {
    set terminal pdfcairo size width, height font "DejaVu Sans,7" fontscale 1
    points = 0.75
    scale = 0.55
}
if (format == 2) {
    dots = 200.
    set terminal pngcairo size dots * width, dots * height font "DejaVu Sans,7" fontscale 1
    points = dots / 96
    scale = 1.2
}

set dashtype 1 solid
set dashtype 2 (7, 3)
set dashtype 3 (1.5, 2)
set dashtype 4 (7, 2.5, 1.5, 2.5)
set dashtype 5 (12, 4)
set dashtype 6 (7, 2, 1.5, 2, 1.5, 2)
set multiplot
unset key
set xrange [0:1]
set yrange [0:1]
set format ""
set style fill solid noborder
do for [p = 0:panels - 1] {
    set lmargin at screen panel[19 * p + 1]
    set rmargin at screen panel[19 * p + 2]
    set bmargin at screen panel[19 * p + 3]
    set tmargin at screen panel[19 * p + 4]
    unset border
    unset tics
    unset grid
    if (panel[19 * p + 5]) {
        set border 3 linewidth 0.6 * points linecolor rgb "#333333"
        set xtics nomirror out scale 0.5 ("" -1)
        set ytics nomirror out scale 0.5 ("" -1)
        do for [i = panel[19 * p + 6]:panel[19 * p + 7]] { set xtics add ("" tic[i]) }
        do for [i = panel[19 * p + 8]:panel[19 * p + 9]] { set ytics add ("" tic[i]) }
        set grid linetype 1 linewidth 0.4 * points linecolor rgb "#dddddd"
    }
    if (p == panels - 1) {
        do for [i = 1:texts] {
            type = sprintf(",%.2f", size[i] * points)
            if (markup[i]) {
                if (align[i] < 0) { set label i written[i] at screen left[i], up[i] left rotate by angle[i] font type }
                if (align[i] == 0) { set label i written[i] at screen left[i], up[i] center rotate by angle[i] font type }
                if (align[i] > 0) { set label i written[i] at screen left[i], up[i] right rotate by angle[i] font type }
            } else {
                if (align[i] < 0) { set label i written[i] at screen left[i], up[i] left rotate by angle[i] font type noenhanced }
                if (align[i] == 0) { set label i written[i] at screen left[i], up[i] center rotate by angle[i] font type noenhanced }
                if (align[i] > 0) { set label i written[i] at screen left[i], up[i] right rotate by angle[i] font type noenhanced }
            }
            set label i textcolor rgb ink[i]
        }
    }
    # The count of rows is an expression in parentheses: gnuplot takes nothing else there.
    plot for [i = panel[19 * p + 10]:panel[19 * p + 11]] layout binary skip=start[i] record=(0 + count[i]) \
            format='%float64%float64%float64%float64%float64%float64%float64' using 1:2:3:4:5:6:7 \
            with boxxyerror linecolor rgb variable notitle, \
        for [i = panel[19 * p + 12]:panel[19 * p + 13]] layout binary skip=start[i] record=(0 + count[i]) \
            format='%float64%float64%float64' using 1:2:3 with filledcurves linecolor rgb colour[i] notitle, \
        for [i = panel[19 * p + 14]:panel[19 * p + 15]] layout binary skip=start[i] record=(0 + count[i]) \
            format='%float64%float64' using 1:2 with lines \
            dashtype dash[i] linewidth thickness[i] * points linecolor rgb colour[i] notitle, \
        for [i = panel[19 * p + 16]:panel[19 * p + 17]] layout binary skip=start[i] record=(0 + count[i]) \
            format='%float64%float64%float64%float64' using 1:2:3:4 \
            with vectors heads size screen 0.002, 90 linewidth thickness[i] * points linecolor rgb colour[i] notitle, \
        for [i = panel[19 * p + 18]:panel[19 * p + 19]] layout binary skip=start[i] record=(0 + count[i]) \
            format='%float64%float64' using 1:2 with points \
            pointtype pointtype[i] pointsize pointsize[i] * scale linewidth thickness[i] * points \
            linecolor rgb colour[i] notitle, \
        -1 notitle
}
unset multiplot
