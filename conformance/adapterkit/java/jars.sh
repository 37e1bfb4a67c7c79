# Sourced by the build.sh of a Java adapter, which has set $kit to this directory. Sets $here (the adapter's directory)
# and $out ($WALPROOF_BUILD), and changes to $out.

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}
cd "$out"

# fetch_jars POM: copies the jars that POM lists to lib, from Maven's local repository if it has them. The jars are
# fetched again only if POM or its parent, the kit's pom.xml, has changed.
fetch_jars() {
    cat "$kit/pom.xml" "$1" > wanted.xml
    cmp -s wanted.xml fetched.xml && return
    rm -rf lib fetched.xml
    run_maven "$1" --offline || run_maven "$1" || { sed -n 's/.*\[ERROR\] //p' maven.log | head -n 1 >&2; exit 1; }
    mv wanted.xml fetched.xml
}

run_maven() {
    pom=$1
    shift
    mvn -q -B "$@" -f "$pom" "-Dlib=$out/lib" generate-resources > maven.log 2>&1
}

# compile OPTION … FILE …: creates lib/adapter.jar with javac, or with $jdk/bin/javac if $jdk is set.
compile() {
    rm -rf classes lib/adapter.jar
    nice "${jdk:+$jdk/bin/}javac" -cp "lib/*" -d classes "$@"
    "${jdk:+$jdk/bin/}jar" --create --file lib/adapter.jar -C classes .
}
