#!/bin/sh
# Builds the files of ../zeebe-journal, except Journals.java, with a JDK of version 21 or newer. This is the newest of
# $WALPROOF_JDK, the JDK on the PATH, and those in /usr/lib/jvm.
set -eu
kit=$(cd "$(dirname "$0")/../../adapterkit/java" && pwd)
. "$kit/jars.sh"

release() {
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2> /dev/null
}

found=
newest=20
on_path=$(command -v javac || true)
for place in "${WALPROOF_JDK:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path")")")}" /usr/lib/jvm/*; do
    [ -n "$place" ] && [ -x "$place/bin/javac" ] || continue
    version=$(release "$place")
    if [ "${version:-0}" -gt "$newest" ]; then
        found=$place
        newest=$version
    fi
done
if [ -z "$found" ]; then
    echo "no JDK of version 21 or newer (on the PATH, in WALPROOF_JDK, or below /usr/lib/jvm)" >&2
    exit 1
fi
ln -sfn "$found" jdk

fetch_jars "$here/pom.xml"
jdk=jdk
zeebe=$here/../zeebe-journal
# Journals.java in this directory takes precedence over the one in ../zeebe-journal.
compile --release 21 -nowarn -sourcepath "$kit:$here:$zeebe" "$zeebe/Adapter.java"
