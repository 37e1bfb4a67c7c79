#!/bin/sh
# Compiles $WALPROOF_BUILD/libsqlite3.so from the SQLite amalgamation in github.com/mattn/go-sqlite3, in the version
# that the go.mod of the working directory names. The argument is the optimisation option; the default is -O0, which
# compiles faster. Prints only errors.
set -eu
cp go.mod go.sum "$WALPROOF_BUILD"
cd "$WALPROOF_BUILD"
export GOTOOLCHAIN=local GOFLAGS=-mod=mod
go mod download github.com/mattn/go-sqlite3
source=$(go list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3)
compiler=${CC:-$(command -v gcc || command -v clang)} || {
	echo "neither gcc nor clang found" >&2
	exit 1
}
# Pages are written through the sqlite_dbpage table, which SQLite has since 3.22.
nice -n 10 "$compiler" "${1:--O0}" -w -shared -fPIC -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_OMIT_LOAD_EXTENSION \
	"$source/sqlite3-binding.c" -o libsqlite3.so -lpthread
