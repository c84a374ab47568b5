# Asks the completion for bash what it would propose.
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

# refuses WORD... -- WRONG...: what it must not propose.
refuses()
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
    for unwanted; do
        case " ${COMPREPLY[*]} " in
        *" $unwanted "*)
            echo "completions: after '${words[*]:1}' $unwanted, which the program refuses" >&2
            wrong=1
            ;;
        esac
    done
}

while read -r command; do
    proposes "" -- "$command"
    mapfile -t options < <("$LDPBENCH" list options "$command")
    proposes "$command" - -- "${options[@]}"
done < <("$LDPBENCH" list commands --format names)
proposes estimate --oracle "" -- "${oracles[@]}"
proposes advise --method "" -- "${methods[@]}"
proposes estimate --method norm_s -- norm_sub
refuses estimate --method "" -- post_pos
proposes advise --query "" -- full_domain top_k
proposes report --format "" -- html md text json latex
proposes report --format = -- html md text json latex
proposes report --format = ht -- html
proposes run -o te -- tests
proposes run --quiet READ -- README.md
refuses run --seed "" -- README.md tests
proposes advise --query fixed_sets = READ -- README.md
proposes help a -- advise audit
proposes audit --oracle "" -- "${oracles[@]}"
proposes audit README -- README.md
proposes init --oracle "" -- "${oracles[@]}"
proposes init --query "" -- full_domain top_k
proposes init READ -- README.md
proposes check papers/nd -- papers/ndss2020
proposes estimate --interval "" -- score exact power_split npmle_split bonferroni selected conditional
proposes estimate --sets READ -- README.md
proposes list "" -- oracles methods queries datasets tasks config commands
proposes list zi -- zipf
proposes run READ -- README.md
exit $wrong
