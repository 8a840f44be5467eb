#!/bin/bash
# Make or bring up to date a virtual environment: setup.sh VENV REQUIREMENT [CONSTRAINT_FILE...]
# Safe to interrupt at any moment: VENV/.ready is written last, and a run that finds VENV/.unfinished
# installs over what lies there instead of trusting half-written packages.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$1
read -ra requirement <<< "$2"
shift 2
constraints=()
for file in "$@"; do constraints+=(--constraint "$file"); done

suits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; }

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.11 python3.12 python3.13}; do
        if suits "$candidate"; then echo "$candidate"; return; fi
    done
    {
        echo "error: no Python 3.11 or later"
        echo "  where: ${PYTHON:-python3, python3.11, python3.12 and python3.13 on PATH}"
        echo "  found: $("${PYTHON:-python3}" --version 2> /dev/null || echo "nothing that runs")"
        echo "  hint: install Python 3.11 (Debian and Ubuntu: apt-get install python3.11-venv), or name one:" \
            "make setup PYTHON=/path/to/python3.11"
    } >&2
    return 1
}

make_venv() {
    local python
    python=$(find_python)
    # --clear only where the interpreter in it is gone: an environment that runs may hold other things.
    local clear=--clear
    if suits "$venv/bin/python"; then clear=; fi
    if ! "$python" -m venv $clear "$venv"; then
        {
            echo "error: Python could not make the virtual environment"
            echo "  where: $venv"
            echo "  found: $("$python" --version), without the venv or ensurepip module, or an unwritable folder"
            echo "  hint: on Debian and Ubuntu, apt-get install python3-venv"
        } >&2
        return 1
    fi
}

started=$SECONDS
# One set-up at a time; the script itself is the lock, so nothing is left lying about.
exec 9< scripts/setup.sh
if command -v flock > /dev/null; then flock 9; fi

if ! suits "$venv/bin/python" || ! "$venv/bin/python" -m pip --version > /dev/null 2>&1; then
    make_venv
fi

again=()
if [[ -e $venv/.unfinished ]]; then
    echo "The last set-up of $venv was interrupted: installing over what it left."
    again=(--ignore-installed)
fi
# The first time somebody waits and watches: let pip show its downloads.
quiet=--quiet
if [[ -t 1 && ! -e $venv/.ready ]]; then quiet=; fi
touch "$venv/.unfinished"
rm -f "$venv/.ready"
echo "Setting up $venv: ${requirement[*]} (the first time takes minutes, most of them downloads)"
"$venv/bin/python" -m pip install $quiet --no-input --disable-pip-version-check \
    ${again[@]+"${again[@]}"} ${constraints[@]+"${constraints[@]}"} "${requirement[@]}"
rm -f "$venv/.unfinished"
touch "$venv/.ready"
echo "$venv is ready, after $((SECONDS - started)) s"
