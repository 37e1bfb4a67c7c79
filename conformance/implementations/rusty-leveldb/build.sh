#!/bin/sh
# Builds $WALPROOF_BUILD/adapter against the released crate rusty-leveldb. Because its log module is private, `mod log;`
# is changed to `pub mod log;` in a copy of the crate in $WALPROOF_BUILD. See README.md.
set -eu
. ../../adapterkit/rust/crate.sh

upstream=$out/upstream-$CRATE_VERSION
if ! [ -d "$upstream" ]; then
    host=$(rustc -vV | sed -n 's/^host: //p')
    cargo fetch -q --offline --target "$host" > cargo.log 2>&1 \
        || quietly cargo fetch --target "$host"
    released=$(cargo metadata --offline --format-version 1 --filter-platform "$host" \
        | sed -n "s/.*\"manifest_path\":\"\([^\"]*rusty-leveldb-$CRATE_VERSION\)\/Cargo.toml\".*/\1/p")
    [ -d "$released" ] || fail "cargo did not unpack rusty-leveldb $CRATE_VERSION"
    [ "$(grep -c '^mod log;$' "$released/src/lib.rs")" = 1 ] || fail "lib.rs of rusty-leveldb does not have one 'mod log;'"
    rm -rf copy
    cp -R "$released" copy
    sed 's/^mod log;$/pub mod log;/' "$released/src/lib.rs" > copy/src/lib.rs
    mv copy "$upstream"
fi

build_adapter --config "patch.crates-io.rusty-leveldb.path=\"$upstream\""
