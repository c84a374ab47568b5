#!/bin/sh
# Help, manual and completions know every command and option.
set -eu
wrong=0
say() { echo "commands: $*" >&2; wrong=1; }

commands=$("$LDPBENCH" list commands --format names)
[ "$(echo "$commands" | wc -l)" -ge 8 ] || say "there are too few commands"
for command in $commands; do
    "$LDPBENCH" --help | grep -qE "^  $command( |$)" || say "--help has no $command"
done
"$LDPBENCH" help | cat >/dev/null || say "help fails"
if command -v man >/dev/null 2>&1 && man man/ldpbench.1 >/dev/null 2>&1; then
    MANPAGER=cat script -qec "'$LDPBENCH' help" /dev/null </dev/null | sed "s/.$(printf '\b')//g" |
        grep -q 'EXIT STATUS' || say "help does not show the manual"
fi
if command -v bash >/dev/null 2>&1; then
    bash tests/completions.bash || wrong=1
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -f tests/completions.zsh || wrong=1
fi
if command -v fish >/dev/null 2>&1; then
    fish --no-config tests/completions.fish || wrong=1
fi
if command -v groff >/dev/null 2>&1; then
    for page in man/ldpbench.1 man/ldpbench-config.5; do
        warnings=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
        [ -z "$warnings" ] || say "$page: $warnings"
    done
fi
exit $wrong
