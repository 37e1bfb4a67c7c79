#!/bin/sh
# Builds $WALPROOF_BUILD/libsqlite3.so from main.go and modernc.org/sqlite. Prints only errors.
set -eu
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false'
nice -n 10 go build -p 1 -trimpath -buildmode=c-shared -o "$WALPROOF_BUILD/libsqlite3.so" . 2>"$WALPROOF_BUILD/build.log" || {
	cat "$WALPROOF_BUILD/build.log" >&2
	exit 1
}
