# Asks the completion for bash what it would propose. $1: the usage line of each command.
source completions/ldpbench.bash
wrong=0

# proposes WORD... -- EXPECTED...: the last WORD is the one being completed.
proposes()
{
    local -a words=("$LDPBENCH")
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    COMP_WORDS=("${words[@]}")
    COMP_CWORD=$((${#words[@]} - 1))
    _ldpbench
    for expected; do
        case " ${COMPREPLY[*]} " in
        *" $expected "*) ;;
        *)
            echo "completions: after '${words[*]:1}' no $expected in: ${COMPREPLY[*]}" >&2
            wrong=1
            ;;
        esac
    done
}

mapfile -t oracles < <("$LDPBENCH" list oracles --format names)
mapfile -t methods < <("$LDPBENCH" list methods --format names)
[ "${#oracles[@]}" -ge 5 ] && [ "${#methods[@]}" -ge 10 ] || wrong=1

while read -r command usage; do
    proposes "" -- "$command"
    mapfile -t options < <(grep -oE -- '--?[a-z-]+' <<<"$usage")
    [ "${#options[@]}" -eq 0 ] || proposes "$command" - -- "${options[@]}"
done <"$1"
proposes postprocess --oracle "" -- "${oracles[@]}"
proposes postprocess --method "" -- all "${methods[@]}"
proposes postprocess --method norm_s -- norm_sub
proposes run --simulation "" -- counts reports
proposes run --simulation = -- counts reports
proposes run --simulation = co -- counts
proposes recommend --query fixed_sets = READ -- README.md
proposes help re -- recommend report
proposes list "" -- oracles methods queries datasets tasks
proposes run READ -- README.md
exit $wrong
