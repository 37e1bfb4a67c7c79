#!/bin/sh
# Puts the jars of pom.xml and of the program into $WALPROOF_BUILD/lib.
set -eu
kit=$(cd "$(dirname "$0")/../../../../conformance/adapterkit/java" && pwd)
. "$kit/jars.sh"
fetch_jars "$here/pom.xml"
compile --release 17 -nowarn "$here"/*.java
