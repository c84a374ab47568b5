# bash completion for ldpbench. Names of algorithms come from the program itself.

_ldpbench_names()
{
    "${COMP_WORDS[0]}" list "$1" --format names 2>/dev/null
}

_ldpbench_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_ldpbench_files()
{
    compopt -o filenames 2>/dev/null # a slash behind folders; the shell refuses where it is not completing
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$2")
}

_ldpbench()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options
    local commands="run list describe postprocess plot check recommend report help"

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _ldpbench_words "$commands --help --version" "$current"
        return
    fi
    # bash makes three words of --option=value.
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $command:$previous in
    run:--simulation) _ldpbench_words "counts reports" "$current"; return ;;
    run:-o | run:--output) _ldpbench_files -d "$current"; return ;;
    run:-j | run:--threads | run:--seed | run:--repetitions) return ;;
    list:--format) _ldpbench_words "text md names schema" "$current"; return ;;
    plot:--format) _ldpbench_words "svg pdf png tsv" "$current"; return ;;
    check:--format) _ldpbench_words "text md json" "$current"; return ;;
    check:--level | check:--floor | report:--level) return ;;
    report:--format) _ldpbench_words "html md" "$current"; return ;;
    report:-o | report:--output | report:--agreement | recommend:fixed_sets) _ldpbench_files -f "$current"; return ;;
    postprocess:--oracle | recommend:--oracle) _ldpbench_words "$(_ldpbench_names oracles)" "$current"; return ;;
    recommend:--oracles) _ldpbench_words "all $(_ldpbench_names oracles)" "$current"; return ;;
    recommend:--query) _ldpbench_words "$(_ldpbench_names queries)" "$current"; return ;;
    recommend:--surrogate) _ldpbench_words "posterior $(_ldpbench_names methods)" "$current"; return ;;
    recommend:--format) _ldpbench_words "text md json" "$current"; return ;;
    recommend:--epsilon | recommend:--n | recommend:--param | recommend:--trials | recommend:--replicates | recommend:--seed) return ;;
    recommend:-j | recommend:--threads) return ;;
    postprocess:--method | recommend:--method) _ldpbench_words "all $(_ldpbench_names methods)" "$current"; return ;;
    postprocess:--epsilon | postprocess:--n | postprocess:--param) return ;;
    esac
    case $command in
    run) options="-o --output -j --threads --seed --repetitions --simulation --fresh --keep --dry-run --quiet" ;;
    list) options="--format" ;;
    postprocess) options="--oracle --epsilon --n --param --method" ;;
    recommend)
        options="--oracle --oracles --epsilon --n --query --method --param --surrogate --counts --trials --replicates --seed -j
            --threads --format"
        ;;
    plot) options="--format --x --curves --all-pages --no-captions" ;;
    report) options="-o --output --format --agreement --level --no-plots" ;;
    check) options="--level --floor --allow-missing --allow-new --allow-config --format" ;;
    *) options= ;;
    esac
    case $command:$current in
    *:-*) _ldpbench_words "$options --help" "$current" ;;
    help:*) _ldpbench_words "$commands" "$current" ;;
    list:*) _ldpbench_words "oracles methods queries datasets tasks" "$current" ;;
    describe:*)
        # A law is written as zipf(s=1.5,d=1024,n=1e6); a file is named.
        _ldpbench_words "$(_ldpbench_names datasets)" "$current"
        _ldpbench_files -f "$current"
        ;;
    run:* | postprocess:* | check:* | recommend:*) _ldpbench_files -f "$current" ;;
    plot:* | report:*) _ldpbench_files -d "$current" ;;
    esac
}

complete -F _ldpbench ldpbench
