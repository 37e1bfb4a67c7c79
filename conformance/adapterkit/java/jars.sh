# Sourced by the build.sh of an adapter in Java: names its folder ($here), this kit ($kit) and $WALPROOF_BUILD ($out),
# and goes to the last.

here=$(cd "$(dirname "$0")" && pwd)
out=${WALPROOF_BUILD:?names the folder to build in}
cd "$out"

# fetch_jars POM: fills lib with the jars that POM names, from Maven's local repository when it has them; again only
# when POM changes, or its parent, the pom.xml of this kit.
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

# compile OPTION … FILE …: makes lib/adapter.jar. Options are those of javac, $jdk/bin/javac where $jdk is set.
compile() {
    rm -rf classes lib/adapter.jar
    nice "${jdk:+$jdk/bin/}javac" -cp "lib/*" -d classes "$@"
    "${jdk:+$jdk/bin/}jar" --create --file lib/adapter.jar -C classes .
}
