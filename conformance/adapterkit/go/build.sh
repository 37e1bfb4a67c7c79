#!/bin/sh
# Builds the adapter in the working directory as $WALPROOF_BUILD/adapter, and prints only errors. Arguments are passed
# to `go build`: -C chooses another directory, and -modfile and -tags choose another release of a dependency.
set -eu
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0
log="$WALPROOF_BUILD/build.log"
if ! nice -n 10 go build "$@" -p 1 -trimpath -o "$WALPROOF_BUILD/adapter" . >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
