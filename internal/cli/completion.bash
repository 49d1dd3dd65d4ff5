# What the script below needs of the package bash-completion, for shells without it.

# It sets cur, prev, words and cword: the words up to the cursor, in which = and : separate none.
__erelong_words()
{
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local rest=${COMP_LINE:0:COMP_POINT} i blank word
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[^[:space:]]*}
        rest=${rest#"$blank"}
        word=$rest
        if ((i < COMP_CWORD)); then
            word=${COMP_WORDS[i]}
        fi
        rest=${rest#"$word"}
        if ((i == 0)) || [[ -n $blank ]]; then
            words+=("$word")
        else
            words[${#words[@]}-1]+=$word
        fi
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
}

# It completes folders, and files with the endings EXT|EXT|..., or only folders (-d).
__erelong_files()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local path
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    while IFS= read -r path; do
        if [[ -d $path || -z ${1-} || ($1 != -d && $path == *.* && "|$1" == *"|${path##*.}|"*) ]]; then
            COMPREPLY+=("$path")
        fi
    done < <(compgen -f -- "$cur")
}

