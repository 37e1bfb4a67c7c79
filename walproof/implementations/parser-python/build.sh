#!/bin/sh
# Makes the package walproof_parsers in $WALPROOF_BUILD.
set -eu
export PYTHONPATH="$WALPROOF_ROOT"
exec "$WALPROOF_PYTHON" -m walproof.parsers.build python "$WALPROOF_BUILD" "$@"
