# price.gp - what is gained against what it costs: a mark for each oracle or method.
point = "using 1:2 with points"
