#!/bin/sh
# Builds $WALPROOF_BUILD/adapter against the released crate sdjournal.
set -eu
. ../../adapterkit/rust/crate.sh
build_adapter
