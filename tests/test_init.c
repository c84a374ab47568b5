/* From nothing to an answer: init writes what run takes; a run that is interrupted says how to go on. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <stdio.h>

FolderTest(init, writes_what_runs)
{
    write_text(folder, "pets.counts", "cat\t5000\ndog\t3000\nowl\t100\nnewt\t3\n");
    run_in(folder, "ldpbench init pets.counts >said && grep -qx 'ldpbench run pets.json' said && "
                   "grep -q '8103 users, 4 values' pets.json && ldpbench run pets.json --quiet && "
                   "[ $(grep -c '^pets,' results/pets/mse.csv) = 96 ]");
    run_in(folder,
           "ldpbench init pets.counts -o own.json --oracle grr --oracle oue --epsilon 1,2 --epsilon 3 "
           "--method base --query full_domain --query top_k=1,2 >said && ldpbench run own.json -o own --quiet && "
           "[ $(grep -c '^own,' own/mse.csv) = 18 ]");
    /* Lists with commas, all, and a name that leaves other results alone. */
    run_in(folder, "ldpbench init pets.counts -o x.json --oracle grr,olh --method base,norm_sub --epsilon 1 >said && "
                   "grep -qx 'ldpbench report results/x -o x.html' said && ldpbench run x.json --quiet && "
                   "[ $(grep -c '^x,.*full_domain' results/x/mse.csv) = 4 ] && "
                   "ldpbench init pets.counts -o all.json --oracle all --method all >said && "
                   "grep -q '\"oracles\": \"all\"' all.json && grep -q '\"methods\": \"all\"' all.json && "
                   "ldpbench run all.json --dry-run >said");
    run_in(folder, "ldpbench init -o - | ldpbench run - --dry-run | grep -q '12 cells\\|cells *12'");
}

static void demand(const char *folder, const char *fragment, const char *command)
{
    char text[2 * PATH_ROOM];

    snprintf(text, sizeof text, "cd %s && ldpbench init %s", folder, command);
    demand_failure(2, fragment, "%s", text);
}

/* Searches of strings and marginals of records run at once; strings whose counts are asked for are counts. */
FolderTest(init, strings_and_records)
{

    run_in(folder, "for w in cat dog sun sky red; do printf \"$w\\t300\\n\"; done >w.strings && "
                   "{ echo a,b,c; for i in 0 1 2 3 4 5 6 7 8 9; do echo 0,1,$i; echo 1,0,$i; done; } >r.csv && "
                   "ldpbench init w.strings --epsilon 2 | grep -q '^  protocols ' && ldpbench run w.json --quiet && "
                   "[ $(wc -l <results/w/search.csv) = 5 ] && "
                   "ldpbench init r.csv --epsilon 2 | grep -q '^  synopses ' && ldpbench run r.json --quiet && "
                   "[ $(wc -l <results/r/marginals.csv) = 6 ] && "
                   "ldpbench init w.strings --query full_domain -o counts.json | grep -q '^  methods ' && "
                   "ldpbench run counts.json -o counts --quiet");
    demand_failure(2, "init: --method and --query are for one column: 'r.csv(columns=NAME)'",
                   "cd %s && ldpbench init r.csv --method base -o x.json", folder);
}

/* What is said of strings when they are run is said before; columns that name users are left out. */
FolderTest(init, says_what_run_would_and_takes_columns)
{
    run_in(folder,
           "printf 'hello%%%%20\\t300\\nhello\\t400\\nhell%%%%6F\\t200\\nm\303\274sli\\t100\\n' >w.strings && "
           "ldpbench init 'w.strings(alphabet=a-z\303\244\303\266\303\274)' >said 2>warned && "
           "grep -q '900 users (different strings: 1) differ from others only in blanks at their end' warned && "
           "grep -q '900 users (different strings: 1) are written in several ways' warned && "
           "ldpbench run w.json --repetitions 2 --quiet && ldpbench list w.strings >said && "
           "[ $(tr -s ' \\n' ' ' <said | grep -o '900 users (different strings: 1)' | wc -l) = 2 ] && "
           "grep -q '^  lengths  *5 to 5 symbols' said && grep -q '^  alphabet .*: ehilmos\303\274$' said");
    run_in(folder,
           "{ echo id,a,b; for i in $(seq 200); do echo $i,$((i %% 3)),$((i %% 2)); done; } >r.csv && "
           "for command in 'init r.csv' 'list r.csv'; do "
           "ldpbench $command 2>said; [ $? -eq 2 ] && grep -q '200 values of id for .*columns' said || exit 1; done && "
           "ldpbench init 'r.csv(columns=a b)' >said && grep -q '\"columns\": \"a b\"' r.json && "
           "ldpbench list 'r.csv(columns=a b)' | grep -q 'attributes  *2$' && "
           "ldpbench advise --epsilon 1 --k 2 --trials 2 --synopsis product 'r.csv(columns=a b)' >said");
    run_in(folder, "printf 'https://a.org\\nhttps://b.org\\n' >urls.txt && "
                   "{ ldpbench init urls.txt 2>said; [ $? -eq 2 ]; } && grep -q 'type=strings' said");
}

/* Strings too long for a key: the message says which length fits, length takes it, and what is cut is said. */
FolderTest(init, long_strings_need_a_length)
{
    run_in(
        folder,
        "for i in 1 2 3 4 5 6; do printf \"https://example.com/abcdefghijklmnopqrstuvw/$i\\t300\\n\"; done >u.strings && "
        "cp u.strings u.txt");
    demand(folder, "(a \"length\" of 25 fits", "u.strings");
    run_in(folder, "ldpbench init 'u.strings(length=22,alphabet=a-z:/.)' >said && "
                   "grep -q '\"length\": 22, \"alphabet\": \"a-z:/.\"' u.json");
    run_in(folder,
           "ldpbench advise --epsilon 2 --trials 2 --protocol pem 'u.strings(length=22)' --format json >said && "
           "grep -q '1800 users (different strings: 6) have more than 22' said");
    run_in(folder, "cut -f 1 u.strings >u.txt");
    demand(folder, "type=strings", "u.txt");
}

FolderTest(init, refuses_in_one_line)
{
    write_text(folder, "pets.counts", "cat\t5000\ndog\t3000\n");
    write_text(folder, "there.json", "{}\n");
    demand(folder, "/none/x.json: cannot be written: No such file or directory", "-o /none/x.json");
    demand(folder, "none.counts", "none.counts");
    demand(folder, "there.json already exists; --force overwrites it", "pets.counts -o there.json");
    demand(folder, "--oracle: expected an oracle (ldpbench list oracles), got \"ohl\", did you mean \"olh\"",
           "pets.counts --oracle grr,ohl");
    demand(folder, "--epsilon: expected a number > 0, got 0", "pets.counts --epsilon 1,0");
    demand(folder, "--query: k: expected at most d = 2", "pets.counts --query top_k=9");
    write_text(folder, "one.csv", "a,b\nx,y\n");
    demand(folder, "init: synopsis plan does not suit dataset one (n = 1)", "one.csv");
    run_in(folder, "[ ! -e pets.json ] && [ ! -e one.json ]");
}

/* What --force would write over is kept where the new config is refused, and data are never written over. */
FolderTest(init, what_is_refused_leaves_the_files_as_they_were)
{
    write_text(folder, "pets.counts", "cat\t5000\ndog\t3000\n");
    write_text(folder, "there.json", "{}\n");
    run_in(folder, "cp pets.counts as_it_was && ln -s pets.counts link");
    demand(folder, "pets.counts: expected a file other than the data", "pets.counts -o pets.counts --force");
    demand(folder, "link: expected a file other than the data", "pets.counts -o link --force");
    demand(folder, "--query: ", "pets.counts -o there.json --force --query top_k=9");
    run_in(
        folder,
        "cmp pets.counts as_it_was && [ \"$(cat there.json)\" = '{}' ] && [ $(ls | wc -l) = 4 ] && "
        "ldpbench init pets.counts -o there.json --force && grep -q pets.counts there.json && [ $(ls | wc -l) = 4 ]");
}

/* On a full disk, too; and standard output is written on from where it is. */
FolderTest(init, what_cannot_be_written_leaves_the_files_as_they_were)
{
    write_text(folder, "pets.counts", "cat\t5000\ndog\t3000\n");
    write_text(folder, "there.json", "{}\n");
    expect_said(3, "there.json: cannot be written",
                "cd %s && (ulimit -f 1; ldpbench init pets.counts -o there.json --force --epsilon $(seq -s, 300))",
                folder);
    expect_said(3, "new.json: cannot be written",
                "cd %s && (ulimit -f 1; ldpbench init pets.counts -o new.json --epsilon $(seq -s, 300))", folder);
    run_in(folder, "[ \"$(cat there.json)\" = '{}' ] && [ $(ls -A | wc -l) = 2 ]");
    expect_said(3, "standard output: cannot be written", "cd %s && ldpbench init pets.counts -o - >/dev/full", folder);
    /* What run would refuse is not printed either. */
    expect_said(2, "--query: expected a query such as full_domain",
                "cd %s && ldpbench init pets.counts -o - --query median >printed", folder);
    run_in(folder, "[ ! -s printed ] && rm printed");
    run_in(folder,
           "ldpbench init pets.counts -o - >>there.json && [ \"$(sed -n 1,2p there.json | tr '\\n' ' ')\" = '{} { ' ]");
}

FolderTest(init, an_interrupted_run_says_how_to_go_on, SLOW)
{
    static const char *const signals[] = {"INT", "TERM"};

    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 200000, \"epsilon\": 1, \"oracles\": [\"ss\"],\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 512, \"n\": 100000, \"s\": 1}], \"methods\": [\"base\"],\n"
               " \"queries\": [\"full_domain\"]}\n");
    for (size_t i = 0; i < 2; i++) /* the second goes on from where the first was stopped */
        run_in(folder,
               "{ timeout --foreground -s %s 2 \"$LDPBENCH\" run c.json -o out --quiet 2>said; "
               "[ $? = 124 ]; } && "
               "grep -qx 'ldpbench: c: interrupted; the same command continues from the [1-9][0-9]* of 200000 "
               "repetitions kept in out' said && sed 's/.*from the \\([0-9]*\\) of.*/\\1/' said >kept.%zu",
               signals[i], i);
    run_in(folder, "[ $(cat kept.1) -gt $(cat kept.0) ] && [ $(cat kept.1) -lt 200000 ]");
}
