#!/bin/sh
# Makes the package walproof-parsers in $WALPROOF_BUILD, next to its runtime.
set -eu
PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build javascript "$WALPROOF_BUILD" "$@"
cd "$WALPROOF_BUILD/package"
npm install --no-package-lock --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error > ../npm.log 2>&1 \
	|| { cat ../npm.log >&2; exit 1; }
