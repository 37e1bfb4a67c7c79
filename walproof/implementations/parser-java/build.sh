#!/bin/sh
# Puts the jars of pom.xml, of the package and of the driver into $WALPROOF_BUILD/lib.
set -eu
kit=$WALPROOF_ADAPTERKIT/java
. "$kit/jars.sh"
PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build java "$out" "$@"
fetch_jars "$here/pom.xml"
compile --release 17 -nowarn -sourcepath "$kit" package/src/main/java/walproof/parsers/*.java "$here/Driver.java"
