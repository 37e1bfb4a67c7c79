#!/bin/sh
# Checks that the library of the adapter `sqlite` is built, which all four writers use.
set -eu
test -e "$WALPROOF_BUILD/../sqlite/libsqlite3.so" || {
	echo "the adapter sqlite is not built: python -m walproof.setup --impl sqlite" >&2
	exit 1
}
