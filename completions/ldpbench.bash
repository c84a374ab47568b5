# bash completion for ldpbench. What is proposed comes from the program itself (ldpbench list options).

# Proposes the words that a list of the program has; <files> and <folders> stand for those.
_ldpbench_list()
{
    local current=$1 word words=
    shift
    while read -r word; do
        case $word in
        "<files>") _ldpbench_files -f "$current" ;;
        "<folders>") _ldpbench_files -d "$current" ;;
        "<value>") ;;
        *) words+="$word " ;;
        esac
    done < <("${COMP_WORDS[0]}" list "$@" --format names 2>/dev/null)
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$current")
}

_ldpbench_files()
{
    compopt -o filenames 2>/dev/null # a slash behind folders; the shell refuses where it is not completing
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$2")
}

_ldpbench()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _ldpbench_list "$current" commands
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "help --help --version" -- "$current")
        return
    fi
    # bash makes three words of --option=value.
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    else
        previous=${COMP_WORDS[COMP_CWORD - 1]}
        [ "$previous" = "${previous#-}" ] && previous=
    fi
    case $command:$previous in
    help:*) _ldpbench_list "$current" commands; return ;;
    *:) ;;
    *:-*)
        _ldpbench_list "$current" options "$command" "${previous#"${previous%%[!-]*}"}"
        # An option without a value says nothing.
        [ -z "$("${COMP_WORDS[0]}" list options "$command" "${previous#"${previous%%[!-]*}"}" 2>/dev/null)" ] || return
        ;;
    *) _ldpbench_files -f "$current"; return ;; # NAME=FILE
    esac
    case $current in
    -*) _ldpbench_list "$current" options "$command" ;;
    *) _ldpbench_list "$current" options "$command" operands ;;
    esac
}

complete -F _ldpbench ldpbench
