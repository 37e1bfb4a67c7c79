#!/bin/sh
# Builds $WALPROOF_BUILD/driver from the package of Rust parsers, the generated walker and src/main.rs. A grammar whose
# parser is not valid Rust, which the Kaitai compiler does not notice, is left out and named in without.txt; its vectors are
# skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$WALPROOF_BUILD"
: > without.txt

generate() {
	PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build rust . \
		$(sed 's/^/--without /' without.txt) "$@"
	mkdir -p crate/src adapterkit
	cp -R "$WALPROOF_ADAPTERKIT/rust/." adapterkit
	cp "$here/Cargo.toml" crate/
	cp "$here"/src/*.rs walker.rs crate/src/
}

compile() {
	nice cargo build -q --release --jobs 2 --manifest-path crate/Cargo.toml --target-dir target "$@" > cargo.log 2>&1
}

generate "$@"
until compile --offline || compile; do
	left_out=$(sed -n 's/^ *--> .*src\/\([a-z_0-9]*\)\.rs:[0-9].*/\1/p' cargo.log | grep -v '^walker$\|^main$\|^lib$' | sort -u)
	[ -n "$left_out" ] || { cat cargo.log >&2; exit 1; }
	cp cargo.log without.log
	echo "$left_out" >> without.txt
	generate "$@"
done
cp target/release/driver driver
