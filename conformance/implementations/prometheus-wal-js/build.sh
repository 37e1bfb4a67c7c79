#!/bin/sh
# Copies the reader to $WALPROOF_BUILD and installs its two packages there. Prints only errors.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${WALPROOF_BUILD:?names the folder to build in}"
cp "$here"/*.mjs "$here"/package*.json .
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error > npm.log 2>&1 || { cat npm.log >&2; exit 1; }
