#!/bin/sh
# Fills $WALPROOF_BUILD/lib: the jars that pom.xml names, fetched again only when it changes, and one of the package and
# the driver.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build java "$WALPROOF_BUILD" "$@"
cd "$WALPROOF_BUILD"

fetch() {
	mvn -q -B "$@" -f "$here/pom.xml" "-Dlib=$WALPROOF_BUILD/lib" generate-resources > maven.log 2>&1
}

if ! cmp -s "$here/pom.xml" fetched.xml; then
	rm -rf lib fetched.xml
	fetch --offline || fetch || { sed -n 's/.*\[ERROR\] //p' maven.log | head -n 1 >&2; exit 1; }
	cp "$here/pom.xml" fetched.xml
fi

rm -rf classes lib/driver.jar
nice javac --release 17 -nowarn -cp "lib/*" -d classes package/src/main/java/walproof/parsers/*.java "$here/Driver.java"
jar --create --file lib/driver.jar -C classes .
