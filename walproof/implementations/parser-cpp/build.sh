#!/bin/sh
# Builds $WALPROOF_BUILD/driver from the package of C++ parsers, the generated walker and driver.cc. Compiles a file
# again only if it has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PYTHONPATH="$WALPROOF_ROOT" "$WALPROOF_PYTHON" -m walproof.parsers.build cpp "$WALPROOF_BUILD" "$@"
cd "$WALPROOF_BUILD"
cxx=${CXX:-$(command -v c++ || command -v g++ || command -v clang++)}
mkdir -p objects
objects=
for source in package/src/*.cpp walker.cpp "$here/driver.cc"; do
	object=objects/$(basename "$source").o
	# The headers of the package change with its sources; the walker includes them all.
	key="$cxx $(cat "$source" package/src/*.h package/kaitai/*.h "$here"/*.h | cksum)"
	if [ ! -f "$object" ] || [ "$key" != "$(cat "$object.key" 2> /dev/null)" ]; then
		nice "$cxx" -std=c++11 -O2 -w -Ipackage -Ipackage/src -I"$here" -c "$source" -o "$object" \
			> cxx.log 2>&1 || { grep -m 1 error cxx.log >&2 || cat cxx.log >&2; exit 1; }
		echo "$key" > "$object.key"
	fi
	objects="$objects $object"
done
# shellcheck disable=SC2086
nice "$cxx" -o driver $objects
