#!/bin/sh
# Builds $WALPROOF_BUILD/liblog.so from log.cc and links it with the RocksDB library in the Maven artifact rocksdbjni.
# The internal headers of the log reader come from the crate librocksdb-sys, which contains the same release.
set -eu
kit=$(cd "$(dirname "$0")/../../adapterkit/java" && pwd)
. "$kit/jars.sh"
fetch_jars "$here/pom.xml"

fail() {
    echo "$1" >&2
    exit 1
}

case $(uname -sm) in
    "Linux x86_64") library=librocksdbjni-linux64.so ;;
    "Linux aarch64") library=librocksdbjni-linux-aarch64.so ;;
    *) fail "rocksdbjni has no library for $(uname -sm) that build.sh knows" ;;
esac
jar --extract --file lib/rocksdbjni-*.jar "$library"

cp "$here/Cargo.toml" .
mkdir -p src
: > src/lib.rs
cargo fetch --quiet --offline 2> cargo.log || cargo fetch --quiet
rocksdb=$(cargo metadata --offline --format-version 1 \
    | sed -n 's/.*"manifest_path":"\([^"]*\/librocksdb-sys-[^"]*\)\/Cargo.toml".*/\1\/rocksdb/p')
[ -d "$rocksdb" ] || fail "cargo did not unpack librocksdb-sys"

# The defines of RocksDB's own CMakeLists.txt. -fno-rtti is needed because the library does not export type
# information for its classes.
cxx=${CXX:-$(command -v g++ || command -v clang++)} || fail "neither g++ nor clang++ found"
$cxx -std=c++20 -O1 -Wall -Wextra -Wno-unused-parameter -DNDEBUG -DOS_LINUX -DROCKSDB_PLATFORM_POSIX \
    -DROCKSDB_LIB_IO_POSIX -fno-rtti -isystem "$rocksdb" -isystem "$rocksdb/include" \
    -shared -fPIC "$here/log.cc" "$library" -Wl,-rpath,'$ORIGIN' -o liblog.so
