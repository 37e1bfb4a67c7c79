#!/bin/sh
# Installs plyvel, which bundles LevelDB, into $WALPROOF_BUILD/venv.
set -eu
python3 -m venv "$WALPROOF_BUILD/venv"
"$WALPROOF_BUILD/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
	--no-deps --only-binary :all: plyvel==1.5.1
