# Asks the completion for fish what it would propose.
set -gx PATH (dirname $LDPBENCH) $PATH
source completions/ldpbench.fish
set -g wrong 0

# proposes LINE WORD...: what is proposed at the end of the line.
function proposes
    set -l got (complete -C $argv[1] | string split -f 1 \t)
    for word in $argv[2..]
        if not contains -- $word $got
            echo "completions: fish, after '$argv[1]' no $word in: $got" >&2
            set -g wrong 1
        end
    end
end

function words
    $LDPBENCH list $argv --format names
end

proposes 'ldpbench ' (words commands) --version
proposes 'ldpbench help a' advise audit
for command in (words commands)
    proposes "ldpbench $command -" (words options $command)
end
proposes 'ldpbench estimate --oracle ' (words oracles)
proposes 'ldpbench estimate --oracle=' --oracle=(words oracles)[1]
proposes 'ldpbench advise --method ' norm_sub
proposes 'ldpbench advise --query ' full_domain top_k
proposes 'ldpbench run READ' README.md
proposes 'ldpbench run --quiet READ' README.md
proposes 'ldpbench run -o te' tests/
proposes 'ldpbench plot --format ' svg pdf png tsv
proposes 'ldpbench list zi' zipf
proposes 'ldpbench list ' oracles methods options
exit $wrong
