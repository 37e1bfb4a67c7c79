#!/bin/sh
# Builds $WALPROOF_BUILD/driver, and driver-sse42 on x86-64, from driver.cc, bench.cc and the LevelDB sources in the npm
# package classic-level. There are two stages, the objects of LevelDB and simdjson, then the driver. Each stage is
# skipped while a checksum of its inputs is unchanged.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}
cd "$out"

cxx=${CXX:-}
if [ -z "$cxx" ]; then
    cxx=$(command -v g++ || command -v clang++) || { echo "neither g++ nor clang++ found" >&2; exit 1; }
fi

# Ends the build: shows the output of the failed program and, in the last line, the reason.
fail() {
    cat "$1" >&2
    echo "$2" >&2
    exit 1
}

# Runs the compiler; its output is shown only if it fails. $cxx is split, because it may contain arguments (ccache g++).
compile() {
    $cxx -O2 -DNDEBUG -pthread "$@" -o "$target" > compile.log 2>&1 || fail compile.log "$cxx could not make $target"
}

# Download the sources (or take them from npm's cache) only when the lock file changes. They go to the build folder, so
# that no node_modules is created in the repository. No Node addon is needed, hence --ignore-scripts.
if ! cmp -s "$here/package-lock.json" npm.stamp; then
    rm -f npm.stamp sources.stamp
    cp "$here/package.json" "$here/package-lock.json" .
    npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error > npm.log 2>&1 \
        || fail npm.log "npm ci could not install classic-level and @nozbe/simdjson"
    cp package-lock.json npm.stamp
fi

leveldb=node_modules/classic-level/deps/leveldb/leveldb-1.20
simdjson=node_modules/@nozbe/simdjson/src

# The defines of classic-level's deps/leveldb/leveldb.gyp, and -DNDEBUG as in LevelDB's own Makefile. Without
# LEVELDB_PLATFORM_POSIX_SSE the CRC is the portable one, as in the published addon.
case $(uname -s) in
    Darwin) os=OS_MACOSX ;;
    FreeBSD) os=OS_FREEBSD ;;
    *) os=OS_LINUX ;;
esac
flags="-DLEVELDB_PLATFORM_POSIX=1 -DLEVELDB_ATOMIC_PRESENT -D$os=1 -I$leveldb -I$leveldb/include"
# Build the parser without AVX kernels, because they take time to compile and speed does not matter here.
flags="$flags -I$simdjson -DSIMDJSON_IMPLEMENTATION_ICELAKE=0 -DSIMDJSON_IMPLEMENTATION_HASWELL=0"

stamp=$(echo "$cxx $($cxx --version | head -n 1)"; cksum < "$here/build.sh"; cksum < npm.stamp)
if [ ! -f sources.stamp ] || [ "$stamp" != "$(cat sources.stamp)" ]; then
    rm -rf sources.stamp driver.stamp objects
    mkdir -p objects/sse42
    for source in db/log_reader db/log_writer util/coding util/crc32c util/env util/env_posix util/logging \
        util/status port/port_posix port/port_posix_sse; do
        target=objects/$(basename "$source").o
        compile -std=c++11 -w $flags -c "$leveldb/$source.cc"
    done
    if [ "$(uname -m)" = x86_64 ]; then
        target=objects/sse42/port_posix_sse.o
        compile -std=c++11 -w $flags -msse4.2 -DLEVELDB_PLATFORM_POSIX_SSE -c "$leveldb/port/port_posix_sse.cc"
    fi
    target=objects/simdjson.o
    compile -std=c++17 -w $flags -c "$simdjson/simdjson.cpp"
    echo "$stamp" > sources.stamp
fi

stamp="$stamp $(cat "$here/driver.cc" "$here/bench.cc" "$here/bench.h" | cksum)"
if [ ! -x driver ] || [ ! -f driver.stamp ] || [ "$stamp" != "$(cat driver.stamp)" ]; then
    rm -f driver driver-sse42 driver.stamp
    version=$(node -p 'require("./node_modules/classic-level/package.json").version')
    target=driver
    compile -std=c++17 -Wall -Wextra $flags "-I$here" "-DCLASSIC_LEVEL_VERSION=\"$version\"" \
        "$here/driver.cc" "$here/bench.cc" objects/*.o
    # Build the same reader with LevelDB's hardware-accelerated CRC, for comparison in `lab bench`.
    if [ -f objects/sse42/port_posix_sse.o ]; then
        target=driver-sse42
        compile -std=c++17 -Wall -Wextra $flags "-I$here" "-DCLASSIC_LEVEL_VERSION=\"$version\"" \
            "$here/driver.cc" "$here/bench.cc" objects/sse42/*.o $(ls objects/*.o | grep -v port_posix_sse)
    fi
    echo "$stamp" > driver.stamp
fi
