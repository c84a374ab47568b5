# style.gp - what all pictures have in common: terminals, type, the place of panels, axes, titles, key and caption.
# It runs before the script of a kind of picture (curves.gp, map.gp, ...) and expects
#
#     data     the file with the numbers, texts and choices of the program (README.md here has its blocks)
#     format   "svg", "pdf" or "png"
#
# Texts are read from the data, never executed, and drawn with noenhanced.
set encoding utf8
set datafile separator "\t"

# ---- reading ----

set table $nothing
plot data index "page:" using (width = $1, panel_height = $2, columns = int($3), rows = int($4), panels = int($5), \
    tics = int($6), titles = int($7), remarks = int($8), captions = int($9), keys = int($10), key_rows = int($11), \
    entries = int($12), layers = int($13), zoom = $14, 0):(0) with table

array left[columns]                # inches beside, above and below panels
array above[rows]
array below[rows]
plot data index "columns:" using (left[int($0) + 1] = $1, 0):(0) with table
plot data index "rows:" using (above[int($0) + 1] = $1, below[int($0) + 1] = $2, 0):(0) with table

# Axes; numbers of the first and last tic and layer of each kind.
array xscale[panels]; array xlow[panels]; array xhigh[panels]
array yscale[panels]; array ylow[panels]; array yhigh[panels]; array bend[panels]
array xtic[panels];   array xtic_end[panels];   array ytic[panels];  array ytic_end[panels]
array boxes[panels];  array boxes_end[panels];  array bands[panels]; array bands_end[panels]
array lines[panels];  array lines_end[panels];  array bars[panels];  array bars_end[panels]
array points[panels]; array points_end[panels]; array remark[panels]; array remark_end[panels]
plot data index "panels:" using (p = int($0) + 1, xscale[p] = int($1), xlow[p] = $2, xhigh[p] = $3, \
    yscale[p] = int($4), ylow[p] = $5, yhigh[p] = $6, bend[p] = $7, xtic[p] = int($8), xtic_end[p] = int($9), \
    ytic[p] = int($10), ytic_end[p] = int($11), boxes[p] = int($12), boxes_end[p] = int($13), bands[p] = int($14), \
    bands_end[p] = int($15), lines[p] = int($16), lines_end[p] = int($17), bars[p] = int($18), \
    bars_end[p] = int($19), points[p] = int($20), points_end[p] = int($21), remark[p] = int($22), \
    remark_end[p] = int($23), 0):(0) with table

array tic_at[tics + 1]; array tic_label[tics + 1]
if (tics > 0) {
    plot data index "tics:" using (i = int($0) + 1, tic_at[i] = $1, tic_label[i] = strcol(2) eq " " ? "" : strcol(2), 0):(0) with table
}

# Lines of titles: above a panel, of its x axis, of its y axis.
array title[3 * panels]
do for [i = 1:3 * panels] { title[i] = "" }
joined(text, line) = text eq "" ? line : text . "\n" . line
if (titles > 0) {
    plot data index "titles:" using (i = 3 * int($1) - 3 + int($2), title[i] = joined(title[i], strcol(3)), 0):(0) \
        with table
}

array remark_x[remarks + 1]; array remark_y[remarks + 1]; array remark_align[remarks + 1]
array remark_text[remarks + 1]
if (remarks > 0) {
    plot data index "remarks:" using (i = int($0) + 1, remark_x[i] = $1, remark_y[i] = $2, remark_align[i] = int($3), \
        remark_text[i] = strcol(4), 0):(0) with table
}

array caption[captions + 1]
if (captions > 0) { plot data index "caption:" using (caption[int($0) + 1] = strcol(1), 0):(0) with table }

# The last entry and the last layer are empty: gnuplot evaluates the first round of a loop even if it has none.
# Entries of keys: which key, and its mark (1 line and point, 2 point, 3 box, 4 line).
array key_of[entries + 1]; array key_mark[entries + 1]; array key_point[entries + 1]; array key_size[entries + 1]
array key_dash[entries + 1]; array key_width[entries + 1]; array key_colour[entries + 1]; array key_text[entries + 1]
plot data index "key:" using (i = int($0) + 1, key_of[i] = int($1), key_mark[i] = int($2), key_point[i] = int($3), \
    key_size[i] = $4, key_dash[i] = int($5), key_width[i] = $6, key_colour[i] = int($7), key_text[i] = strcol(8), \
    0):(0) with table

# The look of each layer.
array shift[layers]; array point[layers]; array size[layers]; array dash[layers]; array thickness[layers]
array colour[layers]
plot data index "layers:" using (i = int($0) + 1, shift[i] = $1, point[i] = int($2), size[i] = $3, dash[i] = int($4), \
    thickness[i] = $5, colour[i] = int($6), 0):(0) with table
unset table
layer(i) = sprintf("layer %d:", i)

# ---- the page, in inches from its upper left corner ----

edge = 0.05
right = 0.12
key_line = 1.25 * 7.5 / 72         # type of 7.5 points
caption_line = 1.25 * 8 / 72
plot_width = (width - columns * right - (sum [c = 1:columns] left[c])) / columns
top(r) = edge + above[r] + (r > 1 ? sum [m = 1:r - 1] (above[m] + panel_height + below[m]) : 0)
panels_end = top(rows) + panel_height + below[rows]
key_height = key_rows > 0 ? key_rows * key_line + 0.08 : 0
height = panels_end + key_height + (captions > 0 ? captions * caption_line + 0.06 : 0) + edge

column_of(p) = (p - 1) % columns + 1
row_of(p) = (p - 1) / columns + 1
x0(c) = (sum [m = 1:c] left[m]) + (c - 1) * (plot_width + right)
across(x) = x / width
up(y) = 1 - y / height

# ---- terminals: sizes of type and widths of lines in points, whatever the unit of the terminal is ----

# Offsets, tics and keys are measured in the terminal's own type: it has the same size in all of them.
own_type(pt) = sprintf("%.2f", 5.54 * pt)
if (format eq "svg") {
    dots = 130. * zoom
    pt = dots / 72
    scale = 0.85 * zoom
    set terminal svg size dots * width, dots * height dynamic background rgb "white"
    font_names = "DejaVu Sans,Arial,sans-serif,"
}
if (format eq "pdf") {
    pt = 0.75 * zoom
    scale = 0.55 * zoom
    set terminal pdfcairo size width * zoom, height * zoom fontscale 1
    font_names = "DejaVu Sans,"
}
if (format eq "png") {
    dots = 200. * zoom
    pt = dots / 96
    scale = 1.2 * zoom
    set terminal pngcairo size dots * width, dots * height fontscale 1
    font_names = "DejaVu Sans,"
}
own_font = font_names . own_type(pt)
set termoption font own_font
tic_font = sprintf(",%.2f", 7 * pt)
title_font = sprintf(",%.2f", 7.5 * pt)
caption_font = sprintf(",%.2f", 8 * pt)

set dashtype 1 solid
set dashtype 2 (7, 3)
set dashtype 3 (1.5, 2)
set dashtype 4 (7, 2.5, 1.5, 2.5)
set dashtype 5 (12, 4)
set dashtype 6 (7, 2, 1.5, 2, 1.5, 2)
set style fill solid noborder

# ---- a panel: run these lines for p, then plot ----

# Scales: 0 linear, 1 logarithmic, 2 linear up to the bend and logarithmic beyond, 3 names at 1, 2, ...
bent(y, b) = abs(y) <= b ? y / b : sgn(y) * (1 + log10(abs(y) / b))
unbent(y, b) = abs(y) <= 1 ? y * b : sgn(y) * b * 10 ** (abs(y) - 1)
# The line breaks of a text; gnuplot centres a label of y of several lines where the one line would be.
breaks(s) = strstrt(s, "\n") == 0 ? 0 : 1 + breaks(s[strstrt(s, "\n") + 1:*])
# A value within the range of the panel's y axis; an x moved sideways by a part of the panel's width.
within(y) = y < ylow[p] ? ylow[p] : y > yhigh[p] ? yhigh[p] : y
moved(x, part) = part == 0 ? x : xscale[p] == 1 ? x * (xhigh[p] / xlow[p]) ** part : x + part * (xhigh[p] - xlow[p])

$panel << END
set lmargin at screen across(x0(column_of(p)))
set rmargin at screen across(x0(column_of(p)) + plot_width)
set tmargin at screen up(top(row_of(p)))
set bmargin at screen up(top(row_of(p)) + panel_height)
unset logscale
unset nonlinear y
if (xscale[p] == 1) { set logscale x }
if (yscale[p] == 1) { set logscale y }
if (yscale[p] == 2) { set nonlinear y via bent(y, bend[p]) inverse unbent(y, bend[p]) }
set xrange [xlow[p]:xhigh[p]]
set yrange [ylow[p]:yhigh[p]]
set border 3 linewidth 0.6 * pt linecolor rgb "#333333"
set grid linetype 1 linewidth 0.4 * pt linecolor rgb "#dddddd"
if (xscale[p] == 3) { set xtics nomirror out scale 0.5 offset 0, 0.2 noenhanced rotate by 45 right font tic_font textcolor rgb "#333333" ("" 0) } else { set xtics nomirror out scale 0.5 offset 0, 0.2 enhanced norotate autojustify font tic_font textcolor rgb "#333333" (tic_label[xtic[p]] tic_at[xtic[p]]) }
set for [i = xtic[p]:xtic_end[p]] xtics add (tic_label[i] tic_at[i])
set ytics nomirror out scale 0.5 offset 0.5, 0 enhanced font tic_font textcolor rgb "#333333" (tic_label[ytic[p]] tic_at[ytic[p]])
set for [i = ytic[p]:ytic_end[p]] ytics add (tic_label[i] tic_at[i])
set title title[3 * p - 2] noenhanced font title_font offset 0, -0.7
set xlabel title[3 * p - 1] noenhanced font title_font offset 0, format eq "svg" ? 0.7 : 0.3
set ylabel title[3 * p] noenhanced font title_font offset 0.4 - 2.0 * breaks(title[3 * p]), 0
unset label
set for [i = remark[p]:remark_end[p]] label i remark_text[i] at graph remark_x[i], remark_y[i] left noenhanced font tic_font textcolor rgb "#333333"
do for [i = remark[p]:remark_end[p]] { if (remark_align[i] == 0) { set label i center } ; if (remark_align[i] > 0) { set label i right } }
END

# ---- the key and the caption: run these lines for each key k after the last panel ----

# Entries of key k with mark m are those from(k, m) to until(k, m); the loop over them, or nothing if there are none:
# gnuplot makes room in a key even for a loop without rounds.
from(k, m) = 1 + (sum [i = 1:entries] (key_of[i] < k || key_of[i] == k && key_mark[i] < m))
until(k, m) = sum [i = 1:entries] (key_of[i] < k || key_of[i] == k && key_mark[i] <= m)
with(k, m, style) = from(k, m) > until(k, m) ? "" : sprintf(", for [i = %d:%d] keyentry with ", from(k, m), until(k, m)) \
    . style . " linecolor rgb key_colour[i] title key_text[i]"
longest = 0
do for [i = 1:entries] { longest = strlen(key_text[i]) > longest ? strlen(key_text[i]) : longest }
drawn_point = " pointtype key_point[i] pointsize key_size[i] * scale"
drawn_line = " dashtype key_dash[i] linewidth key_width[i] * pt"
$key << END
unset title; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset label; unset logscale; unset nonlinear y
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:1]
set yrange [0:1]
set for [i = 1:k == 1 ? captions : 0] label i caption[i] at screen across(0.06), up(panels_end + key_height + 0.06 + (i - 0.5) * caption_line) left noenhanced font caption_font
set key at screen across(keys == 1 ? width / 2 : x0(k) + plot_width / 2), up(panels_end + 0.03) center top vertical maxrows key_rows + 1 - (key_rows > 0) Left reverse noenhanced samplen 2.5 spacing (format eq "svg" ? 0.9 : 1.1) width 1 - (format eq "svg" ? 0.17 : 0.08) * longest font title_font
eval "plot -1 notitle" . with(k, 1, "linespoints" . drawn_line . drawn_point) . with(k, 2, "points linewidth key_width[i] * pt" . drawn_point) . with(k, 3, "boxes") . with(k, 4, "lines" . drawn_line)
END

set multiplot
unset key
