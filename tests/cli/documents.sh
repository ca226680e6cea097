#!/bin/sh
# Types what a document tells its reader to type: blocks of commands and inline commands that are complete, in the order of
# the document, in one shell, in a folder like a checkout with small matrices and records of the names that documents use.
# commands.awk finds the commands; CONTRIBUTING.md has the words of the comments that say what is expected of them.
# Usage: documents.sh SPMODEL SOURCE FOLDER            makes FOLDER, which the documents start from
#        documents.sh SPMODEL SOURCE FOLDER DOCUMENT   runs one document in a copy of it
set -eu
sp_spmodel=$1 sp_source=$2 sp_folder=$3
sp_here=$(cd "$(dirname "$0")" && pwd)
sp_stand_in=$sp_here/../stand_in/docs
export SP_DOCS_SPMODEL="$sp_spmodel" OMP_WAIT_POLICY=passive SPMODEL_ASSUME=clean
unset SPMODEL SPMODEL_STORE SPMODEL_FAULT SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true

stop() { # stop LINE WORDS
    echo "$sp_document:$1: $2"
    exit 1
}
at_home() { # at_home FOLDER: all that programs keep for a user lies in it
    export HOME="$1/home" XDG_CACHE_HOME="$1/home/cache" XDG_DATA_HOME="$1/home/data"
}

# A folder like a checkout in which `./bootstrap` was typed, and what documents name as a reader's own.
prepare() {
    rm -rf "$sp_folder"
    mkdir -p "$sp_folder/home" "$sp_folder/tests" "$sp_folder/build/examples" "$sp_folder/suite"
    sp_folder=$(cd "$sp_folder" && pwd)
    at_home "$sp_folder"
    for part in data docs examples labs machines bench; do cp -r "$sp_source/$part" "$sp_folder/"; done
    cp -r "$sp_source/tests/data" "$sp_folder/tests/"
    printf '#!/bin/sh\nexec "%s/spmodel" "$@"\n' "$sp_stand_in" >"$sp_folder/build/spmodel"
    printf '#!/bin/sh\necho "bootstrap: ready: build/spmodel"\n' >"$sp_folder/bootstrap"
    chmod +x "$sp_folder/build/spmodel" "$sp_folder/bootstrap"
    example=$(dirname "$sp_spmodel")/examples/sparse_layers
    [ ! -x "$example" ] || ln -s "$example" "$sp_folder/build/examples/sparse_layers"
    . "$sp_here/this_machine.sh"
    this_machine
    cd "$sp_folder"
    "$sp_spmodel" generate -q laplace2d:40+permuted:7 -o A.mtx
    for name in M a.mtx b.mtx matrix.mtx "a name with blanks.mtx"; do cp A.mtx "$name"; done
    if "$sp_spmodel" generate -q laplace2d:30 -o suite/small.mtx.gz 2>/dev/null; then
        cp suite/small.mtx.gz kkt_power.mtx.gz
    else
        echo "documents: compressed files are left out: this build is without libarchive"
    fi
    for name in A B; do
        "$sp_stand_in/spmodel" analyze M -q --no-plots --no-hints --out . --json=$name >/dev/null
    done
    rm -f ./*.json
    cp A RECORD.json
    printf 'matrix a.mtx b.mtx\nrun crs: --threads 1 --budget 20ms --samples 5 --no-plots --no-hints\n' >suite.txt
    echo "documents: their folder is $sp_folder"
}

# Whether these lines are a whole command: no open quote, loop, or text of <<WORD.
is_whole() {
    case $1 in *\\) return 1 ;; esac
    sp_word=$(printf '%s\n' "$1" | sed -n "s/.*<<-\{0,1\} *['\"]\{0,1\}\([A-Za-z_]\{1,\}\).*/\1/p" | head -n 1)
    if [ -n "$sp_word" ] && ! printf '%s\n' "$1" | grep -qx "[[:blank:]]*$sp_word"; then
        return 1
    fi
    printf '%s\n' "$1" | sh -n 2>/dev/null
}

# What comments say of what follows.
forget_notes() { sp_codes=0 sp_not='' sp_with='' sp_lacking=''; }
take_note() { # take_note LINE TEXT
    sp_words=${2#* }
    case $2 in
    "exit "*) sp_codes=$sp_words ;;
    "not: "?*) sp_not=$sp_words ;;
    "with "*) sp_with="$sp_words" ;;
    "first "*) (eval "$sp_words") >"$sp_scratch/out" 2>&1 || { cat "$sp_scratch/out"; stop "$1" "'$sp_words' failed"; } ;;
    "needs "*) for sp_word in $sp_words; do
        command -v "$sp_word" >/dev/null || sp_lacking="there is no $sp_word here"
    done ;;
    *) stop "$1" "a comment 'run: $2', which nobody understands (CONTRIBUTING.md)" ;;
    esac
}

# Why a command is not run here; nothing: it is.
reason_against() {
    if [ -n "$sp_not" ]; then
        printf '%s' "$sp_not"
    elif [ -n "$sp_lacking" ]; then
        printf '%s' "$sp_lacking"
    elif [ "$sp_archives" = no ]; then
        case $1 in *.gz* | *.xz* | *.zst* | *.bz2*) printf 'this build is without libarchive' ;; esac
    elif ! command -v gnuplot >/dev/null; then
        case $1 in *"spmodel plot "* | *"track plot"* | *" --plot "*) printf 'there is no gnuplot here' ;; esac
    fi
}

# run LINE COMMAND CODES: in this shell, so that what it sets stays. $? of the shell is what counts.
run() {
    sp_reason=$(reason_against "$2")
    if [ -n "$sp_reason" ]; then
        echo "skipped  $sp_document:$1: $2   ($sp_reason)"
        sp_skipped=$((sp_skipped + 1))
        return 0
    fi
    sp_command=$2
    [ -z "$sp_with" ] || sp_command=$(printf '%s\n' "$2" | sed -E "$sp_with")
    : >"$SP_DOCS_LOG"
    sp_begun=$(date +%s)
    set +eu
    eval "$sp_command" >"$sp_scratch/out" 2>"$sp_scratch/err" </dev/null 3<&-
    sp_code=$?
    set -eu
    echo "exit $sp_code   $sp_document:$1: $2   ($(($(date +%s) - sp_begun)) s)"
    sed 's/^/         as /' "$SP_DOCS_LOG"
    case " $3 " in
    *" $sp_code "*) ;;
    *)
        cat "$sp_scratch/out" "$sp_scratch/err"
        stop "$1" "'$2' ended with exit code $sp_code, not with $3"
        ;;
    esac
    sp_run=$((sp_run + 1))
}

# Inline code is run where it is complete: without placeholders, and with something to work on, which is no option.
is_complete() {
    case $1 in *...* | *"["* | *"|"* | *"…"* | *"<"* | *N_*) return 1 ;; esac
    ! printf '%s\n' "$1" | grep -qE '(^|[^A-Za-z_])[A-Z][A-Z]+[0-9]*([^A-Za-z0-9_]|$)' || return 1
    case $1 in "spmodel doctor"* | "spmodel --version") return 0 ;; esac
    printf '%s\n' "$1" | awk 'NF < 3 { exit 1 } $NF !~ /^-/ { exit 0 }
        { for (i = 3; i < NF; i++) if ($i !~ /^-/ && $(i - 1) !~ /^-/) exit 0; exit 1 }'
}

document() {
    sp_document=$1
    case $sp_folder in /*) ;; *) sp_folder=$PWD/$sp_folder ;; esac
    sp_archives=$([ -e "$sp_folder/kkt_power.mtx.gz" ] && echo yes || echo no)
    sp_scratch=$(mktemp -d)
    sp_ended=''
    trap 'rm -rf "$sp_scratch"; [ -n "$sp_ended" ] || { echo "documents: $sp_document does not hold"; exit 1; }' EXIT
    cp -R "$sp_folder" "$sp_scratch/checkout"
    at_home "$sp_scratch/checkout"
    export SP_DOCS_LOG="$sp_scratch/log" PATH="$sp_stand_in:$PATH"
    awk -f "$sp_here/commands.awk" "$sp_source/$sp_document" >"$sp_scratch/records"
    cd "$sp_scratch/checkout"
    sp_run=0 sp_skipped=0 sp_open='' sp_file='' sp_tab=$(printf '\t')
    forget_notes
    while IFS= read -r sp_record <&3; do
        sp_line=${sp_record%%"$sp_tab"*} sp_rest=${sp_record#*"$sp_tab"}
        sp_kind=${sp_rest%%"$sp_tab"*} sp_text=${sp_rest#*"$sp_tab"}
        take_record
    done 3<"$sp_scratch/records"
    sp_ended=yes
    echo "documents: $sp_document: $sp_run commands run, $sp_skipped skipped"
}

# One record of commands.awk. The last command of a block ends as its note says, those before it with 0: so a command waits
# for what follows it.
take_record() {
    case $sp_kind in
    note) take_note "$sp_line" "$sp_text" ;;
    file)
        sp_file=$sp_text
        mkdir -p "$(dirname "$sp_file")"
        : >"$sp_file"
        ;;
    line)
        if [ -n "$sp_file" ]; then
            [ $sp_archives = yes ] || sp_text=$(printf '%s\n' "$sp_text" | sed 's/[^ ]*\.gz//g')
            printf '%s\n' "$sp_text" | sed -E -e "${sp_with:-;}" -f "$sp_stand_in/scale.sed" >>"$sp_file"
            return
        fi
        if [ -n "$sp_open" ] && is_whole "$sp_open"; then
            run "$sp_begins" "$sp_open" 0
            sp_open=''
        fi
        case $sp_open$sp_text in "" | "#"*) return ;; esac
        [ -n "$sp_open" ] || sp_begins=$sp_line
        sp_open="$sp_open${sp_open:+
}$sp_text"
        ;;
    code) ! is_complete "$sp_text" || run "$sp_line" "$sp_text" "$sp_codes" ;;
    odd) stop "$sp_line" "a command outside of a block of commands, mark it by \`\`\`sh, or \`\`\`text if it is none: $sp_text" ;;
    end)
        if [ -n "$sp_open" ]; then
            is_whole "$sp_open" || stop "$sp_begins" "a command that does not end: $sp_open"
            run "$sp_begins" "$sp_open" "$sp_codes"
        fi
        sp_open='' sp_file=''
        forget_notes
        ;;
    esac
}

if [ $# -lt 4 ]; then
    prepare
else
    document "$4"
fi
