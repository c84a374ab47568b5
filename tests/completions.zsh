# Asks the completion for zsh what it would propose: a second zsh, at a terminal of its own, completes each line.
zmodload zsh/zpty
work=$(mktemp -d) wrong=0
trap 'zpty -d line 2>/dev/null; rm -rf "$work"' EXIT

zpty line "zsh -f -i"
zpty -w line "PS1= WORK=$work path=(${LDPBENCH:h} \$path) fpath=($PWD/completions \$fpath); unsetopt beep"
zpty -w line 'autoload -Uz compinit; compinit -u -D'
# What is proposed goes to a file; nothing is inserted or shown.
zpty -w line 'compadd() { local -a got; builtin compadd -O got "$@"; (( $#got )) && print -rl -- $got >>$WORK/out; builtin compadd "$@" }'
zpty -w line 'ask() { : >$WORK/out; _main_complete; compstate[insert]= compstate[list]=; : >$WORK/done }'
zpty -w line "zle -C ask complete-word ask; bindkey '^Xa' ask; : >\$WORK/ready"
for (( i = 0; i < 600; i++ )); do
    [[ -e $work/ready ]] && break
    sleep 0.1
done

# proposes LINE WORD...: what is proposed at the end of the line.
proposes() {
    local text=$1 word i
    shift
    rm -f $work/done
    zpty -w -n line $text$'\x18a'
    for (( i = 0; i < 600; i++ )); do
        [[ -e $work/done ]] && break
        sleep 0.1
    done
    zpty -w -n line $'\x15' # the line is deleted
    [[ -e $work/done ]] || { print -u2 "completions: zsh does not answer '$text'"; exit 1 }
    for word; do
        grep -qxF -- $word $work/out && continue
        print -u2 "completions: zsh, after '$text' no $word in: ${(f)"$(<$work/out)"}"
        wrong=1
    done
}

words() { print -r -- ${(f)"$($LDPBENCH list $@ --format names)"} }

proposes 'ldpbench ' $(words commands) --version
proposes 'ldpbench help a' advise audit
for command in $(words commands); do
    proposes "ldpbench $command -" $(words options $command)
done
proposes 'ldpbench estimate --oracle ' $(words oracles)
proposes 'ldpbench estimate --oracle=' $(words oracles)
proposes 'ldpbench advise --method ' norm_sub
proposes 'ldpbench advise --query ' full_domain top_k
proposes 'ldpbench report --format=' html md text json latex
proposes 'ldpbench run READ' README.md
proposes 'ldpbench run -o te' tests
proposes 'ldpbench plot --format ' svg pdf png tsv
proposes 'ldpbench list zi' zipf
proposes 'ldpbench list ' oracles methods options
exit $wrong
