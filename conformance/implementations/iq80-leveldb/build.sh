#!/bin/sh
# Puts the jars of pom.xml and of the adapter into $WALPROOF_BUILD/lib.
set -eu
kit=$(cd "$(dirname "$0")/../../adapterkit/java" && pwd)
. "$kit/jars.sh"
fetch_jars "$here/pom.xml"
compile --release 17 -Xlint:all -Werror -sourcepath "$kit" "$here/Adapter.java"
