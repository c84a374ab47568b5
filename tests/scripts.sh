#!/bin/sh
# Every script prints its usage when asked, and does not take an unknown option for a folder.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
say() { echo "scripts: $*" >&2; wrong=1; }

expect() { # STATUS SCRIPT ARGUMENT...
    status=$1
    shift
    got=0
    sh "$@" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" = "$status" ] || say "$* ends with status $got, not $status"
}
for script in scripts/*.sh; do
    head -n 1 "$script" | grep -q '^#!' || continue # those that others source
    for help in -h --help; do
        expect 0 "$script" "$help"
        grep -q "usage: .*${script##*/}" "$work/out" || say "$script $help prints no usage"
        ! grep -q '^set ' "$work/out" || say "$script $help prints more than the usage"
        [ ! -s "$work/err" ] || say "$script $help complains: $(cat "$work/err")"
    done
    for arguments in --unknown "1 2 --unknown"; do
        # shellcheck disable=SC2086 # words
        expect 2 "$script" $arguments
        [ "$(wc -l <"$work/err")" = 1 ] || say "$script $arguments does not say in one line what is wrong"
        [ ! -s "$work/out" ] || say "$script $arguments goes on: $(cat "$work/out")"
    done
done
for name in -h --help --unknown; do
    [ ! -e "./$name" ] || say "a script took $name for a folder"
done
exit $wrong
