# I review a paper: does Figure 4 of NDSS 2020 hold, and where does it not?
config=$(python3 -c 'import ldpbench; print(ldpbench.configs()["ndss2020-fig4"])')
ldpbench run "$config" --repetitions 30 --quiet
ldpbench check ndss2020 results/ndss2020-fig4
