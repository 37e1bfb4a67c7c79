#!/bin/sh
# Like the build of ../zeebe-journal, whose files but one it shares, with a JDK of version 21 or newer:
# $WALPROOF_JDK if that is set, else the one on the PATH, else the newest below /usr/lib/jvm.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
kit=$here/../../adapterkit/java
out=${WALPROOF_BUILD:?names the folder to build in}
cd "$out"

release() {
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2> /dev/null
}

found=
newest=20
on_path=$(command -v javac || true)
for jdk in "${WALPROOF_JDK:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path")")")}" /usr/lib/jvm/*; do
    [ -n "$jdk" ] && [ -x "$jdk/bin/javac" ] || continue
    version=$(release "$jdk")
    if [ "${version:-0}" -gt "$newest" ]; then
        found=$jdk
        newest=$version
    fi
done
if [ -z "$found" ]; then
    echo "no JDK of version 21 or newer (on the PATH, in WALPROOF_JDK, or below /usr/lib/jvm)" >&2
    exit 1
fi
ln -sfn "$found" jdk

fetch() {
    mvn -q -B "$@" -f "$here/pom.xml" "-Dlib=$out/lib" generate-resources > maven.log 2>&1
}

if ! cmp -s "$here/pom.xml" fetched.xml; then
    rm -rf lib fetched.xml
    fetch --offline || fetch || { sed -n 's/.*\[ERROR\] //p' maven.log | head -n 1 >&2; exit 1; }
    cp "$here/pom.xml" fetched.xml
fi

rm -rf classes lib/adapter.jar
jdk/bin/javac --release 21 -nowarn -cp "lib/*" -sourcepath "$kit" -d classes \
    "$here/Journals.java" "$here"/../zeebe-journal/Adapter.java "$here"/../zeebe-journal/Bench.java \
    "$here"/../zeebe-journal/Entries.java
jdk/bin/jar --create --file lib/adapter.jar -C classes .
