#!/bin/sh
# Make .venv ready and install what a target needs; the Makefile calls this from the project's root.
#
#     sh scripts/environment.sh run|dev|bench|plots|... [PYTHON]
#
# Nothing happens if that was done before. A .venv that does not run, that another Python than the
# one asked for has made, or whose set-up was killed is made anew: .venv/ready is there only while
# nobody is installing, and .venv/<what> once that is installed.
set -eu
what=$1
asked=${2:-}
python=${asked:-python3}
recent='import sys; sys.exit(sys.version_info < (3, 10))'
identity='import sys; print(sys.version, sys.base_prefix)'  # a .venv has that of its maker
trap 'exit 130' INT

sound() {
    [ -e .venv/ready ] && .venv/bin/python -c "$recent" 2>/dev/null || return 1
    [ -z "$asked" ] || [ "$(.venv/bin/python -c "$identity")" = "$("$asked" -c "$identity")" ]
}

check_python() {
    "$python" -c "$recent" 2>/dev/null && return
    found="$python is $("$python" --version 2>&1)" || found="there is no $python"
    echo "lomtree needs Python 3.10 or newer ($found): try make demo PYTHON=python3.12" >&2
    exit 1
}

# If pip itself gives up, what was installed before is as good as it was; not so if it was killed.
install() {
    rm -f .venv/ready
    if .venv/bin/python -m pip install --quiet --editable "$1"; then status=0; else status=$?; fi
    [ "$status" -ge 128 ] || touch .venv/ready
    return "$status"
}

if [ -n "$asked" ]; then check_python; fi
if ! sound; then
    check_python
    echo "setting up .venv with $("$python" --version 2>&1)" >&2
    "$python" -m venv --clear .venv
    touch .venv/ready
fi
if [ ".venv/$what" -nt pyproject.toml ]; then exit; fi
case $what in
    run)
        install .
        .venv/bin/python -m compileall -q lomtree
        ;;
    dev)
        install '.[dev,plots]'
        .venv/bin/python -m compileall -q lomtree
        install '.[bench]' ||
            echo 'no Vowpal Wabbit for this Python: tests against it are skipped' >&2
        ;;
    bench)
        install '.[bench,plots,sklearn]'
        export PIP_ONLY_BINARY=napkinxc,omikuji  # to compile them takes what few machines have
        for learner in napkinxc omikuji; do
            install ".[$learner]" || echo "no $learner for this Python: it is left out" >&2
        done
        ;;
    *) install ".[$what]" ;;
esac
touch ".venv/$what"
