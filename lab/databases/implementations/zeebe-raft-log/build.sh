#!/bin/sh
# Fills $WALPROOF_BUILD/lib: the jars that pom.xml names and the program's own.
set -eu
kit=$(cd "$(dirname "$0")/../../../../conformance/adapterkit/java" && pwd)
. "$kit/jars.sh"
fetch_jars "$here/pom.xml"
compile --release 17 -nowarn "$here"/*.java
