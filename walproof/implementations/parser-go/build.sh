#!/bin/sh
# Builds $WALPROOF_BUILD/driver inside the package of Go parsers; prints only errors. A grammar
# whose parser is not valid Go, which the Kaitai compiler does not notice, is left out and named in
# without.txt; its vectors are skipped.
set -eu
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0
here=$(cd "$(dirname "$0")" && pwd)
cd "$WALPROOF_BUILD"
: > without.txt

generate() {
	PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build go . \
		$(sed 's/^/--without /' without.txt) "$@"
	mkdir -p package/driver
	cp "$here"/*.go walker.go package/driver/
}

compile() {
	(cd package && nice -n 10 go build -p 1 -trimpath -gcflags=-e -o ../driver ./driver) > go.log 2>&1
}

generate "$@"
until compile; do
	left_out=$(sed -n 's/^\.\/\([a-z_0-9]*\)\.go:[0-9].*/\1/p' go.log | sort -u)
	[ -n "$left_out" ] || { cat go.log >&2; exit 1; }
	cp go.log "without.log"
	echo "$left_out" >> without.txt
	generate "$@"
done
