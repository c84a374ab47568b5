# noise.gp - a histogram of the noise of estimates with Gaussian densities.
box = "using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable"
line = "using 1:2 with lines"
