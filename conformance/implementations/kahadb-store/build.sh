#!/bin/sh
# build.sh [POM]: puts the jars of POM and of the adapter into $WALPROOF_BUILD/lib.
set -eu
kit=$(cd "$(dirname "$0")/../../adapterkit/java" && pwd)
pom=$(realpath "${1:-$(dirname "$0")/pom.xml}")
. "$kit/jars.sh"
fetch_jars "$pom"
# Do not use -Werror, because the manifests of the 5.15 jars name other jars that are not needed
# here.
compile --release 17 -Xlint:all,-path,-classfile -sourcepath "$kit:$here" "$here"/*.java
