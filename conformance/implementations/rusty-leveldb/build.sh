#!/bin/sh
# Builds $WALPROOF_BUILD/adapter against the released crate rusty-leveldb, whose log module is private: a copy of the
# crate in $WALPROOF_BUILD has `mod log;` turned into `pub mod log;` and nothing else. See README.md.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}

fail() {
    echo "$1" >&2
    exit 1
}

# Runs a command; its words are shown only when it fails.
quietly() {
    "$@" > cargo.log 2>&1 || { cat cargo.log >&2; fail "$1 $2 failed: $(grep -m 1 '^error' cargo.log)"; }
}

RUSTY_LEVELDB_VERSION=$(sed -n 's/^rusty-leveldb = "=\(.*\)"$/\1/p' "$here/Cargo.toml")
export RUSTY_LEVELDB_VERSION # main.rs says hello with it

# Cargo works on a copy, so that no Cargo.lock and no target/ appear in the repository.
mkdir -p "$out/crate"
cd "$out/crate"
rm -rf src
cp -R "$here/src" .

if ! cmp -s "$here/Cargo.toml" fetched.toml; then
    rm -rf fetched.toml upstream Cargo.lock
    cp "$here/Cargo.toml" .
    host=$(rustc -vV | sed -n 's/^host: //p')
    cargo fetch -q --offline --target "$host" > cargo.log 2>&1 \
        || quietly cargo fetch --target "$host"
    released=$(cargo metadata --offline --format-version 1 --filter-platform "$host" \
        | sed -n "s/.*\"manifest_path\":\"\([^\"]*rusty-leveldb-$RUSTY_LEVELDB_VERSION\)\/Cargo.toml\".*/\1/p")
    [ -d "$released" ] || fail "cargo did not unpack rusty-leveldb $RUSTY_LEVELDB_VERSION"
    cp -R "$released" upstream
    [ "$(grep -c '^mod log;$' upstream/src/lib.rs)" = 1 ] || fail "lib.rs of rusty-leveldb does not have one 'mod log;'"
    sed 's/^mod log;$/pub mod log;/' "$released/src/lib.rs" > upstream/src/lib.rs
    cp "$here/Cargo.toml" fetched.toml
fi

quietly cargo build --release --offline --target-dir target \
    --config 'patch.crates-io.rusty-leveldb.path="upstream"'
cp target/release/adapter "$out/adapter"
