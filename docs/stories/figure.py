import ldpbench

results = ldpbench.run(ldpbench.configs()["ndss2020-fig4"], "figure4")
print(results.answer)
print(results.plot("pdf", width="page", size=8))
results.report("figure4.html")
