#!/bin/sh
# The manual and the completions know every command and option that the program's help names, and the completion for
# bash proposes what it should.
set -eu
wrong=0
say() { echo "commands: $*" >&2; wrong=1; }

"$LDPBENCH" --help | sed -n 's/^  ldpbench \([a-z].*\)/\1/p' >"${TMPDIR:-/tmp}/ldpbench-help.$$"
help=${TMPDIR:-/tmp}/ldpbench-help.$$
trap 'rm -f "$help"' EXIT
[ -s "$help" ] || say "the help names no command"

while read -r command usage; do
    "$LDPBENCH" "$command" --help | grep -qF "ldpbench $command $usage" || say "$command --help does not say its usage"
    grep -q "^.SS $command\$" man/ldpbench.1 || say "man/ldpbench.1 has no section $command"
    grep -q "^.fBldpbench $command.fR" man/ldpbench.1 || say "the synopsis of man/ldpbench.1 has no $command"
    grep -q "'$command:" completions/_ldpbench || say "completions/_ldpbench has no $command"
    proposed=" $(printf '%s' "$usage" | grep -oE -- '--?[a-z-]+' | tr '\n' ' ')"
    for option in $proposed; do
        roff=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
        grep -q -- "$roff" man/ldpbench.1 || say "man/ldpbench.1 does not have $option of $command"
        grep -q -- "$option" completions/_ldpbench || say "completions/_ldpbench does not have $option of $command"
    done
done <"$help"

if command -v bash >/dev/null 2>&1; then
    bash tests/completions.bash "$help" || wrong=1
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -n completions/_ldpbench || wrong=1
fi
if command -v groff >/dev/null 2>&1; then
    warnings=$(groff -man -Tutf8 -ww -z man/ldpbench.1 2>&1)
    [ -z "$warnings" ] || say "$warnings"
fi
exit $wrong
