#!/bin/sh
# Builds the adapter as $WALPROOF_BUILD/adapter. Arguments go to `go build`: another go.mod and a tag
# choose another release of etcd.
set -eu
cd "$(dirname "$0")"
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0
log="$WALPROOF_BUILD/build.log"
if ! nice -n 10 go build -p 1 -trimpath "$@" -o "$WALPROOF_BUILD/adapter" . >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
