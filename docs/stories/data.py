"""Makes the files of the stories in the current folder: people who do not exist."""

import json

import numpy
import pandas

coins = numpy.random.default_rng(1)
users, values = 5000, ["never", "once a year", "once a month", "every week", "every day", 'über, "often"']
shares = [.36, .26, .16, .10, .07, .05]
answers = coins.choice(values, users, p=shares)
missing = numpy.where(coins.random(users) < 0.03, None, answers)
pandas.DataFrame({"how often": missing}).to_csv("survey.csv", index=False)
pandas.DataFrame({"id": numpy.arange(users), "age": coins.integers(16, 95, users), "town": coins.choice(list("ABCDEFGH"), users),
                  "how often": missing}).to_csv("people.csv", index=False, sep=";", encoding="utf-8-sig")
with open("mine.py", "w", encoding="utf-8") as file:
    file.write("import numpy, ldpbench\nldpbench.serve(lambda est, question: numpy.maximum(est - question.sigma, 0))\n")

words = "maps news shop mail bank game song film book auto train hotel".split()
with open("queries.strings", "w", encoding="utf-8") as file:
    file.writelines(f"{word}\t{8000 // (rank + 1)}\n" for rank, word in enumerate(words))

# Phones, as docs/deployment.md has them: ss at epsilon = 1, k of the six values.
with open("values.txt", "w", encoding="utf-8") as file:
    file.write("\n".join(values) + "\n")
e, d, k = numpy.exp(1), len(values), 2
with open("reports.jsonl", "w", encoding="utf-8") as file:
    for user, value in enumerate(coins.choice(d, 20000, p=shares)):
        others = coins.permutation([v for v in range(d) if v != value])
        own = coins.random() < k * e / (k * e + d - k)
        chosen = [value, *others[:k - 1]] if own else others[:k]
        file.write(json.dumps({"user": user, "report": [int(v in chosen) for v in range(d)]}) + "\n")
