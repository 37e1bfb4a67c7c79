#!/bin/sh
# Installs the npm package zmq-raft with its dependencies in $WALPROOF_BUILD. No install scripts are run, so its native
# zeromq is not built: the adapter loads only modules that work without it. Prints only errors.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "${WALPROOF_BUILD:?names the folder to build in}"
cp "$here/package.json" "$here/package-lock.json" .
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error > npm.log 2>&1 || {
    cat npm.log >&2
    echo "npm ci could not install zmq-raft" >&2
    exit 1
}
