#!/bin/sh
# Makes the package walproof-parsers in $WALPROOF_BUILD, with our own small runtime beside it.
set -eu
PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build ruby "$WALPROOF_BUILD" "$@"
rm -rf "$WALPROOF_BUILD/runtime"
cp -R "$WALPROOF_ROOT/walproof/parsers/runtime/ruby" "$WALPROOF_BUILD/runtime"
