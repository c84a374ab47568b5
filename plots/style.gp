# What all pictures share. Wants `format` (svg, pdf, png) and `output`; eval terminal(width, height) in inches begins.
set encoding utf8
pointscale = format eq "svg" ? 0.7 : format eq "pdf" ? 0.7 : 1.1
large = format eq "svg" ? "font ',13'" : "font ',8.5'"
terminal(width, height) = \
    format eq "svg" ? sprintf("set terminal svg size %d, %d enhanced background rgb 'white' \
        font 'DejaVu Sans,Arial,sans-serif,11'", 96 * width, 96 * height) : \
    format eq "pdf" ? sprintf("set terminal pdfcairo size %g, %g enhanced font 'DejaVu Sans,7' fontscale 1 \
        linewidth 0.8", width, height) : \
    sprintf("set terminal pngcairo size %d, %d enhanced font 'DejaVu Sans,7' fontscale 2 linewidth 1.5", \
        150 * width, 150 * height)
set output output
set border 3 linewidth 0.8 linecolor rgb "#333333"
set tics nomirror out scale 0.6
set grid linetype 1 linewidth 0.5 linecolor rgb "#dddddd"
set errorbars 0.5
