/* check_new.c - check --new NAME: the files that a new paper begins with. */
#include "commands/check.h"

#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A first figure and a claim about it, to be replaced by the paper's; as they stand they run and are judged. %s: the
 * name. */
static const char config_text[] =
    "{\n"
    "  \"$schema\": \"schema.json\",\n"
    "  \"name\": \"%s-fig1\",\n"
    "  \"description\": \"Figure 1 of the paper: replace data, oracles, methods, queries and repetitions by the paper's\",\n"
    "  \"seed\": 1,\n"
    "  \"repetitions\": 30,\n"
    "  \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 256, \"n\": 100000}],\n"
    "  \"oracles\": [\"olh\"],\n"
    "  \"epsilon\": [0.5, 1, 2],\n"
    "  \"methods\": [\"base\", \"norm_sub\"],\n"
    "  \"queries\": [{\"type\": \"full_domain\"}]\n"
    "}\n";

static const char statements_text[] =
    "{\n"
    "  \"paper\": \"%s\",\n"
    "  \"citation\": \"authors, title (venue and year)\",\n"
    "  \"whole\": \"what the paper claims in all, in a sentence\",\n"
    "  \"about\": [\"in what the data, or parameters that are not printed, differ from the paper's\"],\n"
    "  \"important\": [\"1-better\"],\n"
    "  \"names\": {\"method\": {\"base\": \"Base\", \"norm_sub\": \"Norm-Sub\"}},\n"
    "  \"claims\": [\n"
    "    {\"id\": \"1-better\", \"place\": \"Fig. 1\", \"claim\": \"Norm-Sub has a smaller error than Base\", \"paper\": "
    "\"smaller\",\n"
    "     \"run\": \"%s-fig1\", \"reduce\": \"points\", \"relation\": \"below\", \"x\": \"epsilon\", \"of\": {\"method\": "
    "\"norm_sub\"}, \"to\": {\"method\": \"base\"}}\n"
    "  ],\n"
    "  \"unchecked\": [{\"place\": \"sec. 1\", \"statement\": \"a statement that nothing here can be held against\", "
    "\"why\": \"the reason\"}],\n"
    "  \"notes\": [{\"claim\": \"1-better\", \"when\": \"differs\", \"text\": \"Why it differs, or: unexplained.\"}]\n"
    "}\n";

static int check_name(const char *name, struct failure *failure)
{
    for (const char *at = name; *at; at++)
        if (!islower((unsigned char)*at) && !isdigit((unsigned char)*at))
            return fail(failure, EXIT_BAD_INPUT,
                        "--new: expected a name of letters a-z and digits, such as sw2020, got \"%s\"", SHOWN(name));
    return name[0] ? 0 : fail(failure, EXIT_BAD_INPUT, "--new: expected a name, such as sw2020, got nothing");
}

/* A file that is not there yet; text is a format of which each %s is the name. */
static int write_text(const char *folder, const char *file, const char *text, const char *name, struct failure *failure)
{
    char *const path = xformat("%s/%s", folder, file);
    struct whole_file out;
    struct stat status;
    int result = 0;

    if (lstat(path, &status) == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected a new file, it exists", SHOWN_PATH(path));
    else if (make_folder(folder, failure) != 0 || whole_file_open_path(&out, path, failure) != 0)
        result = -1;
    else {
        for (const char *hole; (hole = strstr(text, "%s")) != NULL; text = hole + 2)
            fprintf(out.stream, "%.*s%s", (int)(hole - text), text, name);
        fputs(text, out.stream);
        result = whole_file_close(&out, failure);
    }
    free(path);
    return result;
}

int check_new(const char *name, struct failure *failure)
{
    if (check_name(name, failure) != 0)
        return -1;
    char *const folder = xformat("papers/%s", name), *const config = xformat("%s-fig1.json", name);
    const int result = write_text(folder, "statements.json", statements_text, name, failure) == 0
                           ? write_text("configs", config, config_text, name, failure)
                           : -1;

    if (result == 0)
        printf(
            "%s/statements.json: the paper's statements, one claim to begin with (papers/README.md explains the keys)\n"
            "configs/%s: the config of its first figure\n\n"
            "ldpbench run configs/%s -o results/%s-fig1\n"
            "ldpbench check papers/%s results\n",
            folder, config, config, name, name);
    free(folder);
    free(config);
    return result;
}
