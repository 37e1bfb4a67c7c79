#!/bin/sh
# build.sh [POM]: fills $WALPROOF_BUILD/lib with the jars that POM names and the adapter's own.
set -eu
kit=$(cd "$(dirname "$0")/../../adapterkit/java" && pwd)
pom=$(realpath "${1:-$(dirname "$0")/pom.xml}")
. "$kit/jars.sh"
fetch_jars "$pom"
# No -Werror: the jars of 5.15 name others in their manifests that nothing here needs.
compile --release 17 -Xlint:all,-path,-classfile -sourcepath "$kit:$here" "$here"/*.java
