#!/bin/sh
# Fills $WALPROOF_BUILD/lib with the jars that pom.xml names, and $WALPROOF_BUILD/classes with Protocol.java.
set -eu
kit=$(cd "$(dirname "$0")/../../../../../conformance/adapterkit/java" && pwd)
. "$kit/jars.sh"
fetch_jars "$here/pom.xml"
compile --release 11 -nowarn "$here/Protocol.java"
