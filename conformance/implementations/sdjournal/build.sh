#!/bin/sh
# Builds $WALPROOF_BUILD/adapter against the released crate sdjournal.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}

# main.rs says hello with the version that is pinned.
CRATE_VERSION=$(sed -n 's/^sdjournal = .*"=\([^"]*\)".*/\1/p' "$here/Cargo.toml")
export CRATE_VERSION

# Cargo works on a copy, so that no Cargo.lock and no target/ appear in the repository.
mkdir -p "$out/crate"
cd "$out/crate"
rm -rf src
cp -R "$here/src" "$here/Cargo.toml" .
nice cargo build --release -j 2 --offline >cargo.log 2>&1 || nice cargo build --release -j 2 >cargo.log 2>&1 || {
	cat cargo.log
	echo "cargo build failed: $(grep -m 1 '^error' cargo.log)"
	exit 1
}
cp target/release/adapter "$out/adapter"
