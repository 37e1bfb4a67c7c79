#!/bin/sh
# fetch.sh RELEASE SUITE...: unpacks journalctl and systemd-journal-remote of a systemd release, with all libraries that
# they need, in $WALPROOF_BUILD/root. They come through apt, from the Debian mirror in this machine's sources and
# the first of the suites that has the release. apt uses separate directories: nothing is installed.
set -eu
release=$1
shift
cd "${WALPROOF_BUILD:?names the folder to build in}"

fail() {
	echo "$1"
	exit 1
}

# Runs a program of the unpacked tree; the adapter does the same.
run() {
	root/usr/lib/*/ld-linux*.so.* --library-path "$(echo root/usr/lib/*-linux-*):$(echo root/usr/lib/*-linux-*/systemd)" "$@"
}

unpacked() {
	[ -e root/usr/bin/journalctl ] || return 1
	run root/usr/bin/journalctl --version 2>/dev/null | grep -q "^systemd $release " || return 1
	run root/usr/lib/systemd/systemd-journal-remote --version >/dev/null 2>&1
}

unpacked && exit 0
for program in apt-get apt-cache dpkg flock; do
	command -v $program >/dev/null || fail "systemd $release comes through apt, and $program was not found"
done
# Several implementations use the unpacked tree, and each of them may be the first.
exec 9>"$WALPROOF_BUILD.lock"
flock 9
unpacked && exit 0
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
	grep -v '^ *#' | grep -oE '[a-z+]+://[^] ]+/debian/?( |$)' | head -n 1)
[ "$mirror" ] || fail "no Debian mirror is among the apt sources of this machine"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keyring ] || fail "$keyring was not found (package debian-archive-keyring)"

mkdir -p apt/lists/partial apt/archives/partial apt/none
: >apt/status
cat >apt/apt.conf <<END
Dir::Etc::sourcelist "$PWD/apt/sources.list";
Dir::Etc::sourceparts "$PWD/apt/none";
Dir::Etc::preferences "$PWD/apt/none/none";
Dir::Etc::preferencesparts "$PWD/apt/none";
Dir::State::lists "$PWD/apt/lists";
Dir::State::status "$PWD/apt/status";
Dir::Cache::archives "$PWD/apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
Debug::NoLocking "true";
END
export APT_CONFIG="$PWD/apt/apt.conf"
seen=
for suite; do
	echo "deb [signed-by=$keyring] $mirror $suite main" >apt/sources.list
	nice apt-get -qq update >apt/log 2>&1 || fail "apt has no lists of $suite: $(grep -m 1 '^[EW]:' apt/log)"
	found=$(apt-cache policy systemd | sed -n 's/^ *Candidate: *//p')
	case $found in "$release"[.-]*) ;; *) seen="$seen $suite has $found;"; continue ;; esac
	# The last four libraries are loaded only when a journal file needs them, so no package depends on them.
	nice apt-get -qq -y install --download-only systemd systemd-journal-remote \
		libgcrypt20 liblzma5 liblz4-1 libzstd1 >apt/log 2>&1 || fail "apt did not fetch systemd $found: $(tail -n 1 apt/log)"
	rm -rf root new
	mkdir -p new/usr/bin new/usr/lib64
	for package in apt/archives/*.deb; do
		nice dpkg -x "$package" new
	done
	# Before Debian 13, packages have directories such as /lib in addition to /usr/lib.
	for folder in new/bin new/lib new/lib64; do
		[ -d $folder ] && cp -a $folder/. new/usr/${folder#new/}/ && rm -rf $folder
	done
	mv new root
	rm -rf apt
	unpacked || fail "systemd $found was unpacked and does not run"
	exit 0
done
fail "systemd $release is not to be had:$seen the known failures here are of $release"
