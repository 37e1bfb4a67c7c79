#!/bin/sh
# Fills $WALPROOF_BUILD/lib: the jars that pom.xml names (from Maven's local repository when it has them) and the
# adapter's own. The jars are fetched again only when pom.xml changes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
kit=$here/../../adapterkit/java
out=${WALPROOF_BUILD:?names the folder to build in}
cd "$out"

fetch() {
    mvn -q -B "$@" -f "$here/pom.xml" "-Dlib=$out/lib" generate-resources > maven.log 2>&1
}

if ! cmp -s "$here/pom.xml" fetched.xml; then
    rm -rf lib fetched.xml
    fetch --offline || fetch || { sed -n 's/.*\[ERROR\] //p' maven.log | head -n 1 >&2; exit 1; }
    cp "$here/pom.xml" fetched.xml
fi

rm -rf classes lib/adapter.jar
javac --release 17 -nowarn -cp "lib/*" -sourcepath "$kit" -d classes "$here"/*.java
jar --create --file lib/adapter.jar -C classes .
