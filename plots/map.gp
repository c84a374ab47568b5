# map.gp - two swept keys: a box for each point in the colour of the best, lines between regions and at powers of ten.
box = "using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable"
line = "using 1:2 with lines"
