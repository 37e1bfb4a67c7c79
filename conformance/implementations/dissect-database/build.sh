#!/bin/sh
# Installs dissect.database into $WALPROOF_BUILD/venv; prints only errors.
set -eu
log="$WALPROOF_BUILD/pip.log"
{
	python3 -m venv "$WALPROOF_BUILD/venv" &&
		"$WALPROOF_BUILD/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
			--only-binary :all: --requirement requirements.txt &&
		"$WALPROOF_BUILD/venv/bin/python" -c 'import dissect.database.sqlite3.wal'
} >"$log" 2>&1 || {
	cat "$log" >&2
	exit 1
}
