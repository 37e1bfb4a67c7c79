#!/bin/sh
# Installs the npm package zmq-raft with its dependencies in $WALPROOF_BUILD. Install scripts do not run, so the native
# module zeromq is not built. The adapter loads only modules that work without it. Prints only errors.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "${WALPROOF_BUILD:?names the folder to build in}"
cp "$here/package.json" "$here/package-lock.json" .
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error > npm.log 2>&1 || {
    cat npm.log >&2
    echo "npm ci could not install zmq-raft" >&2
    exit 1
}
