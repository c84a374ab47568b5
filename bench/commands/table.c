/* table.c - the table of commands. */
#include "commands/commands.h"

#define COMMAND(id) &command_##id,
const struct command *const commands[] = {
#include "commands/commands.def"
    NULL};
#undef COMMAND
