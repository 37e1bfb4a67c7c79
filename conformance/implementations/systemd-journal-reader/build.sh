#!/bin/sh
# Builds $WALPROOF_BUILD/adapter against the released crate systemd-journal-reader.
set -eu
. ../../adapterkit/rust/crate.sh
build_adapter
