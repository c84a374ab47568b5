# fish completion for ldpbench. What is proposed comes from the program itself (ldpbench list options).

# Proposes the words that a list of the program has; <files> and <folders> stand for those.
function __ldpbench_list
    set -l current $argv[1]
    for word in (eval $argv[2] list $argv[3..] --format names 2>/dev/null)
        switch $word
            case '<files>'
                __fish_complete_path $current
            case '<folders>'
                __fish_complete_directories $current ''
            case '<*>'
            case '*'
                echo $word
        end
    end
end

function __ldpbench
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l last $words[-1]
    if test (count $words) -eq 1
        __ldpbench_list $current $program commands
        printf '%s\n' help --help --version
        return
    end
    if test $words[2] = help
        __ldpbench_list $current $program commands
        return
    end
    switch $current
        case '--*=*'
            set -l parts (string split -m 1 = -- $current)
            for word in (__ldpbench_list $parts[2] $program options $words[2] (string trim -l -c - -- $parts[1]))
                echo $parts[1]=$word
            end
            return
        case '*=*'
            set -l parts (string split -m 1 = -- $current)
            for word in (__fish_complete_path $parts[2])
                echo $parts[1]=$word
            end
            return
    end
    # An option that takes a value; one without says nothing.
    if string match -q -- '-*' $last
        set -l option (string trim -l -c - -- $last)
        if test -n "$(eval $program list options $words[2] $option 2>/dev/null)"
            __ldpbench_list $current $program options $words[2] $option
            return
        end
    end
    switch $current
        case '-*'
            __ldpbench_list $current $program options $words[2]
        case '*'
            __ldpbench_list $current $program options $words[2] operands
    end
end

complete -c ldpbench -e
complete -c ldpbench -f -a '(__ldpbench)'
