#!/bin/sh
# build.sh [POM]: fills $WALPROOF_BUILD/lib with the jars that POM names (from Maven's local repository when it has them)
# and the adapter's own. The jars are fetched again only when POM changes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pom=${1:-$here/pom.xml}
kit=$here/../../adapterkit/java
out=${WALPROOF_BUILD:?names the folder to build in}
pom=$(cd "$(dirname "$pom")" && pwd)/$(basename "$pom")
cd "$out"

fetch() {
    mvn -q -B "$@" -f "$pom" "-Dlib=$out/lib" generate-resources > maven.log 2>&1
}

if ! cmp -s "$pom" fetched.xml; then
    rm -rf lib fetched.xml
    fetch --offline || fetch || { sed -n 's/.*\[ERROR\] //p' maven.log | head -n 1 >&2; exit 1; }
    cp "$pom" fetched.xml
fi

rm -rf classes lib/adapter.jar
# No -Werror: the jars of 5.15 name others in their manifests that nothing here needs.
javac --release 17 -Xlint:all,-path,-classfile -cp "lib/*" -sourcepath "$kit:$here" -d classes "$here"/*.java
jar --create --file lib/adapter.jar -C classes .
