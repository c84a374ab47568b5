# style.gp - terminals, type, axes, keys and captions of all pictures. A page's script sets width, height and foot (of the
# panels, from the top), in inches, and zoom before it, and `format` may be given: gnuplot -e 'format = "pdf"' PAGE.gp
if (!exists("format")) { format = "svg" }
set encoding utf8
set minussign
across(x) = x / width
up(y) = 1 - y / height

# Sizes of type and widths of lines are in points, whatever the unit of the terminal is: pt. Offsets, tics and keys are
# measured in the terminal's own type: it has the same size in all of them.
own_type(pt) = sprintf("%.2f", 5.54 * pt)
if (format eq "svg") {
    dots = 130. * zoom
    pt = dots / 72
    scale = 0.85 * zoom
    set terminal svg size dots * width, dots * height fixed background rgb "white"
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

set border 3 linewidth 0.6 * pt linecolor rgb "#333333"
set grid linetype 1 linewidth 0.4 * pt linecolor rgb "#dddddd"
set xtics nomirror out scale 0.5, 0.25 offset 0, 0.2 font tic_font textcolor rgb "#333333"
set ytics nomirror out scale 0.5, 0.25 offset 0.5, 0 font tic_font textcolor rgb "#333333"
set title noenhanced font title_font offset 0, -0.7
set xlabel noenhanced font title_font offset 0, format eq "svg" ? 0.7 : 0.3
ytitle = "center rotate by 90 noenhanced font title_font"
remark = "noenhanced font tic_font textcolor rgb '#333333'"
caption = "noenhanced font caption_font"

# Tics within two decades, where gnuplot labels powers of ten alone, in equal steps within half a decade, and of axes that
# are linear from -bend to bend.
power(m, k) = (m == 1 ? "" : m == -1 ? "−" : sprintf("%g·", m)) . gprintf("10^{%T}", 10. ** k)
multiple(m, k) = k >= -2 && k <= 4 ? gprintf("%g", m * 10. ** k) : power(m, k)
multiples(d) = d < 1 ? "1 2 3 5 7" : "1 2 5"
m(i) = real(word(multiples(log10(high / low)), i))
stepped(x) = x >= 0.001 && x < 100000 ? gprintf("%g", x) : gprintf("%t·10^{%T}", x)
short_log(axis) = "set for [k = floor(log10(low)) : ceil(log10(high))] for [i = 1 : words(multiples(log10(high / low)))] " . \
    axis . "tics add (multiple(m(i), k) m(i) * 10. ** k)"
narrow_log(axis) = "set for [i = ceil(low / step) : floor(high / step)] " . axis . "tics add (stepped(i * step) i * step)"
bent(y, b) = abs(y) <= b ? y / b : sgn(y) * (1 + log10(abs(y) / b))
unbent(y, b) = abs(y) <= 1 ? y * b : sgn(y) * b * 10 ** (abs(y) - 1)
signed_log = "set nonlinear y via bent(y, bend) inverse unbent(y, bend); near = ceil(log10(bend) - 1e-9); " . \
    "far = ceil(log10(high > -low ? high : -low)); set for [k = near : far : (low < 0 ? 2 : 1) * (far - near) < 9 ? 1 : 2] for [s = -1 : 1 : 2] ytics add (power(s, k) s * 10. ** k); " . \
    "set for [i = 1 : low < 0 ? 0 : 1] ytics add (multiple(5, near - 1) 5 * 10. ** (near - 1))"

# Before the key and the caption: all of the page, with nothing on it.
whole_page = "set title ''; unset xlabel; unset border; unset tics; unset grid; unset label; unset logscale; " . \
    "unset nonlinear y; set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0; " . \
    "set xrange [0:1]; set yrange [0:1]"
set key center top vertical Left reverse noenhanced samplen 2.5 spacing (format eq "svg" ? 0.83 : 1.07) font title_font
# gnuplot estimates the width of a key's texts from their bytes.
key_width(longest) = 1 - (format eq "svg" ? 0.17 : 0.08) * longest
unset key
