#!/bin/sh
# Builds $WALPROOF_BUILD/adapter. Cargo works on a copy, so that it creates no Cargo.lock and no target/ in the repository.
set -eu
out=${WALPROOF_BUILD:?names the folder to build in}
mkdir -p "$out/crate"
rm -rf "$out/crate/src"
cp -R src Cargo.toml "$out/crate"
cd "$out/crate"
set -- cargo build --release --jobs 2 --target-dir "$out/target"
# The network is used only if a crate is missing.
nice "$@" --offline > "$out/build.log" 2>&1 || nice "$@" > "$out/build.log" 2>&1 || { cat "$out/build.log" >&2; exit 1; }
cp "$out/target/release/adapter" "$out/adapter"
