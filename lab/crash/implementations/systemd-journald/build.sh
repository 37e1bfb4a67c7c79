#!/bin/sh
# build.sh RELEASE SUITE...: builds nothing. journald of this release is part of the tree that the implementation of the
# release unpacks for journalctl; the same tree is used here.
set -eu
release=$1
shift
[ -s /etc/machine-id ] || { echo "this machine has no /etc/machine-id, without which journald does not start"; exit 1; }
unshare --mount --net true 2>/dev/null || { echo "no namespaces can be made here: only root may"; exit 1; }
name=systemd-$release
if [ "$release" = 252 ]; then
	name=systemd
	found=$(journalctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
	[ "$found" = 252 ] && [ -x /lib/systemd/systemd-journald ] && exit 0
fi
WALPROOF_BUILD=${WALPROOF_BUILD%/*}/$name
export WALPROOF_BUILD
mkdir -p "$WALPROOF_BUILD"
sh "$WALPROOF_ROOT/conformance/implementations/systemd/fetch.sh" "$release" "$@"
