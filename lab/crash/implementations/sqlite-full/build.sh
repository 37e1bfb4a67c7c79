#!/bin/sh
# Checks that the library of the adapter `sqlite`, which all four writers use, has been built.
set -eu
test -e "$WALPROOF_BUILD/../sqlite/libsqlite3.so" || {
	echo "the adapter sqlite is not built: python -m walproof.setup --impl sqlite" >&2
	exit 1
}
