# The build.sh of a Rust adapter sources this file. The adapter's directory must have the name of the crate under test.
# This file copies the adapter and this kit to $WALPROOF_BUILD, with the same relative paths as in the repository, and
# changes to the copy of the adapter. Cargo works there, so that it creates no Cargo.lock and no target/ in the
# repository.

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}
name=$(basename "$here")

# main.rs reports the pinned version in its hello.
CRATE_VERSION=$(sed -n "s/^$name = .*\"=\([^\"]*\)\".*/\1/p" "$here/Cargo.toml")
export CRATE_VERSION

# copy_crate FROM TO: copies the sources and the manifest, and keeps Cargo's earlier output.
copy_crate() {
    mkdir -p "$2"
    rm -rf "$2/src"
    cp -R "$1/src" "$1/Cargo.toml" "$2"
}

fail() {
    echo "$1" >&2
    exit 1
}

# Runs a command; its output is shown only if it fails.
quietly() {
    nice "$@" > cargo.log 2>&1 || { cat cargo.log >&2; fail "$1 $2 failed: $(grep -m 1 '^error' cargo.log)"; }
}

# build_adapter [OPTION …]: builds with these Cargo options, and uses the network only if something is missing.
build_adapter() {
    set -- cargo build --release --jobs 2 --target-dir "$out/target" "$@"
    nice "$@" --offline > cargo.log 2>&1 || quietly "$@"
    cp "$out/target/release/adapter" "$out/adapter"
}

copy_crate "$here/../../adapterkit/rust" "$out/adapterkit/rust"
copy_crate "$here" "$out/implementations/$name"
cd "$out/implementations/$name"
