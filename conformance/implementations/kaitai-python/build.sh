#!/bin/sh
# Compiles ksy/leveldb_log.ksy into .build/kaitai of the repository; says nothing unless that fails.
set -eu
cd "$WALPROOF_ROOT"
PATH="$WALPROOF_ROOT/.venv/bin:$PATH"
exec python3 -m conformance.kaitai.compile leveldb_log
