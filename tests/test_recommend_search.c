/* test_recommend_search.c - ldpbench recommend --task search: bad input, determinism, what must be so without noise. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <stdio.h>

static void write_strings(const char *folder)
{
    char text[4096];
    size_t used = 0;

    for (unsigned i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c%c%c\t%u\n", "abcd"[i % 4], "abcd"[i / 4 % 4],
                                 "abcd"[i / 16], "ab"[i % 2], 1 + 40000 / (1 + i));
    write_text(folder, "mine.strings", text);
}

FolderTest(recommend_search, bad_input)
{
    static const struct {
        const char *arguments, *fragment;
    } cases[] = {
        {"mine.strings", "missing option --epsilon E"},
        {"--task search --epsilon 1", "expected a file of strings or --n, got neither"},
        {"--epsilon 1 mine.strings mine.strings", "expected one file of strings, got 2"},
        {"--epsilon 1 --protocol pam mine.strings", "did you mean \"pem\"?"},
        {"--epsilon 1 --protocol pem --protocol pem mine.strings", "expected each protocol once, got pem twice"},
        {"--epsilon 1 --oracles oleh mine.strings", "did you mean \"olh\"?"},
        {"--epsilon 1 --top 0 mine.strings", "--top: expected an integer from 1 to"},
        {"--epsilon 1 --top 3 --threshold 0.1 mine.strings", "expected one of --top and --threshold"},
        {"--epsilon 1 --threshold 0.9 mine.strings", "--threshold: expected at most the largest frequency"},
        {"--epsilon 1 --length 0 mine.strings", "--length: expected an integer from 1 to 128"},
        {"--epsilon 1 --task search --n 100 --bits 12", "--bits: expected whole bytes without a file, got 12"},
        {"--epsilon 1 --trials 1 mine.strings", "--trials: expected an integer from 2 to"},
        {"--epsilon 1 --task search mine.counts", "expected a file of strings (.strings, .strings.gz) or their law"},
        {"--epsilon 1 none.strings", "none.strings"},
        {"--epsilon 1 'zipf_strings(s=1,d=100)'", "expected d and n"},
        {"--epsilon 1 --n 2 --protocol pem --bits 32 mine.strings", "no protocol suits these strings"},
        {"--epsilon 1 empty.strings", "empty.strings"},
    };

    write_strings(folder);
    write_text(folder, "mine.counts", "a\t3\nb\t4\n");
    write_text(folder, "empty.strings", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        demand_failure(2, cases[i].fragment, "cd %s && ldpbench recommend %s", folder, cases[i].arguments);
    }
}

/* Seconds are of a clock; everything else is the same. */
FolderTest(recommend_search, same_bytes_for_a_seed_on_any_threads, SLOW)
{
    write_strings(folder);
    run_in(folder, "ask='ldpbench recommend --epsilon 2 --trials 4 --length 4 --alphabet a-d --top 5 mine.strings' && "
                   "for format in text md json; do $ask --format $format -j 1 | sed '/seconds/d' > one && "
                   "$ask --format $format -j 3 | sed '/seconds/d' > three && cmp one three && "
                   "$ask --format $format --seed 2 | sed '/seconds/d' > other && ! cmp -s one other || exit 1; done");
}

FolderTest(recommend_search, without_noise_the_target_is_found)
{
    write_strings(folder);
    run_in(folder, "ldpbench recommend --epsilon 1 --oracles exact --trials 3 --length 4 --alphabet a-d --top 5 "
                   "mine.strings > out && grep -q 'harmonic mean of precision and recall  *1 *(s.e. 0)' out && "
                   "grep -q 'share of the target that is found  *1 *(s.e. 0)' out && grep -q 'n = 187' out");
}

/* What is said of the winner is one number, of repetitions that did not choose it. */
FolderTest(recommend_search, one_number_of_the_winner)
{
    write_strings(folder);
    run_in(folder,
           "ldpbench recommend --epsilon 2 --trials 4 --protocol pem --protocol treehist --length 4 --top 5 "
           "--alphabet a-d mine.strings --format json > out && python3 -c '\n"
           "import json\n"
           "a = json.load(open(\"out\"))\n"
           "first, best = a[\"ranking\"][0], a[\"recommended\"]\n"
           "assert len(a[\"ranking\"]) > 2 and first[\"protocol\"] == best[\"protocol\"], a\n"
           "assert first[\"f1\"] == best[\"f1\"] and first[\"stderr\"] == best[\"f1_stderr\"], (first, best)\n'");
}

/* Oracles beside the winner's are not simulated: noise and costs of the registry. */
FolderTest(recommend_search, other_oracles_are_shown)
{
    write_strings(folder);
    run_in(folder,
           "ldpbench recommend --epsilon 1 --trials 2 --protocol sfp --protocol treehist --length 4 "
           "--alphabet a-d mine.strings --format json > out && "
           "python3 -c 'import json; a = json.load(open(\"out\")); o = {x[\"oracle\"]: x for x in a[\"oracles\"]}; "
           "best = a[\"recommended\"]; "
           "assert abs(o[best[\"oracle\"]][\"noise_ratio\"] - 1) < 1e-12 and len(o) > 8 and \"exact\" not in o; "
           "assert best[\"protocol\"][\"name\"] in (\"sfp\", \"treehist\") and best[\"protocol\"][\"return\"] == 10; "
           "assert best[\"server_seconds\"] > 0 and best[\"report_bits\"] > 0 and len(a[\"ranking\"]) >= 2'");
}

/* Each user sends the reports of their own rounds: what is said of the winner's oracle is what `run` measures, whose
 * candidates may differ by chance. */
FolderTest(recommend_search, bits_are_those_of_a_run, SLOW)
{
    write_strings(folder);
    run_in(folder,
           "for oracle in oue olh grr; do for protocol in pem treehist sfp; do "
           "ldpbench recommend --epsilon 3 --trials 4 --oracles $oracle --protocol $protocol --top 5 mine.strings "
           "--format json > out || exit 1; python3 -c '\n"
           "import json\n"
           "best = json.load(open(\"out\"))[\"recommended\"]\n"
           "print(json.dumps({\"name\": \"c\", \"task\": \"search\", \"repetitions\": 4, \"epsilon\": 3, "
           "\"oracles\": [best[\"oracle\"]], \"protocols\": [best[\"protocol\"]], \"targets\": {\"top\": 5}, "
           "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\"}]}))\n' > c.json && "
           "ldpbench run c.json -o run --quiet --fresh && python3 -c '\n"
           "import csv, json\n"
           "told = json.load(open(\"out\"))\n"
           "bits = {o[\"oracle\"]: o[\"report_bits\"] for o in told[\"oracles\"]}[told[\"recommended\"][\"oracle\"]]\n"
           "row, = csv.DictReader(open(\"run/search.csv\"))\n"
           "run, error = float(row[\"report_bits\"]), float(row[\"report_bits_stderr\"])\n"
           "assert abs(bits - told[\"recommended\"][\"report_bits\"]) <= 1e-9 * bits, (told, bits)\n"
           "assert abs(bits - run) <= 0.02 * run + 6 * error, (row, bits)\n' || exit 1; done; done");
}

/* The winner is described by the measures that the task declares for its table. */
FolderTest(recommend_search, all_measures_of_the_task_are_shown, SLOW)
{
    write_strings(folder);
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"search\", \"repetitions\": 2, \"epsilon\": 1, \"oracles\": [\"oue\"],\n"
               " \"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\"}],\n"
               " \"protocols\": [\"sfp\"], \"targets\": {\"top\": 5}}\n");
    run_in(
        folder,
        "ldpbench run c.json -o run --quiet && "
        "ldpbench recommend --epsilon 1 --trials 2 --protocol sfp mine.strings --format json > out && "
        "python3 -c 'import json, sqlite3; best = json.load(open(\"out\"))[\"recommended\"]; "
        "table = json.loads(sqlite3.connect(\"run/store.sqlite\").execute(\"SELECT declaration FROM tables WHERE id = 3\")"
        ".fetchone()[0]); names = [m[\"name\"] for m in table[\"measures\"]]; "
        "assert len(names) > 8 and all(n in best and n + \"_stderr\" in best for n in names), names'");
}

/* Without a file, and of a law. */
Test(recommend_search, stands_in, SLOW)
{
    run_well("ldpbench recommend --task search --epsilon 4 --n 20000 --length 3 --alphabet a-h --trials 2 | "
             "grep -q '^stand-in zipf_strings(.*d = 128, n = 20000, 3 symbols of 8'");
    run_well("ldpbench recommend --epsilon 4 'zipf_strings(s=1,d=100,n=5000,length=3)' --alphabet a-h --trials 2 | "
             "grep -q '^zipf_strings.*d = 100, n = 5000, 3 symbols of 8'");
    run_well("ldpbench recommend --epsilon 4 --task search --n 5000 --bits 16 --trials 2 --protocol pem | "
             "grep -q 'n = 5000, 16 bits'");
}

/* Steps 1, 2 and 3, of which one is the default, with a keep of 5, 10, 15 and 20, the default: 12, of which two come to
 * the same search as others. */
Test(recommend_search, equal_searches_are_raced_once)
{
    run_well("ldpbench recommend --task search --epsilon 4 --n 20000 --length 3 --alphabet a-h --top 5 --trials 2 "
             "--protocol treehist | grep -q '^10 protocols in '");
}

/* The sentence of a dry run, by the same rule, in all formats; whether or not the planner is raced. */
FolderTest(recommend_search, says_that_nothing_can_be_found, SLOW)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"search\", \"epsilon\": 1, \"oracles\": [\"olh\"], \"protocols\": "
               "[\"pem_planned\"], \"datasets\": [{\"type\": \"zipf_strings\", \"s\": 1, \"d\": 1000, \"n\": [300, "
               "100000]}]}\n");
    run_in(
        folder,
        "ldpbench run c.json --dry-run > dry && for n in 300 100000; do for p in pem pem_planned; do "
        "recommend=\"ldpbench recommend --epsilon 1 --trials 2 --oracles olh --protocol $p zipf_strings(s=1,d=1000,n=$n)\" && "
        "$recommend > out && sed -n \"s/.*n = $n, .*, if planned/if planned/p\" dry > expected && "
        "test -s expected && grep -qF \"pem_planned with olh, $(cat expected).\" out && "
        "$recommend --format md | grep -qF \"$(cat expected)\" && "
        "$recommend --format json | python3 -c \"import json, sys; expected, = json.load(sys.stdin)['expected']; "
        "assert expected['nothing_can_be_found'] == ($n == 300), expected\" || exit 1; done; done && "
        "test $(grep -c 'nothing can be found at this n and epsilon' dry) = 1");
}
