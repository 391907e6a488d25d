#!/usr/bin/env bash
# run.sh MAKE_ROOT [DIR]: does what the README says in a bare Debian 12, where nothing is installed but git.
#
# MAKE_ROOT is a program that makes such a root in the folder that it is given (debootstrap --variant=minbase with
# ca-certificates and git, this machine's package sources, /proc, /sys and /dev mounted). The committed state of this clone
# goes in; scripts/try and scripts/test run there, as root. Needs root; takes some minutes; run by hand. What it made in
# DIR (default: a temporary folder) is unmounted and removed at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

make_root=${1:?usage: tests/fresh/run.sh MAKE_ROOT [DIR]}
root=${2:-$(mktemp -d)/root}

clean_up() {
  for mount in proc sys dev/pts dev; do
    if mountpoint -q "$root/$mount"; then umount "$root/$mount" || umount -l "$root/$mount"; fi
  done
  # Never remove anything through a mount that is still there.
  if ! mountpoint -q "$root/dev"; then rm -rf --one-file-system "$root" "$root.log"; fi
}
trap clean_up EXIT

"$make_root" "$root"
if mountpoint -q "$root/dev"; then mount --bind /dev/pts "$root/dev/pts"; fi  # for the tests on a terminal
git clone --quiet --no-hardlinks . "$root/src/tfprof-analyze"
inside() { chroot "$root" /usr/bin/env -i HOME=/src PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 \
  bash -c "cd /src/tfprof-analyze && $1" </dev/null; }

failed=0
check() {
  local name=$1 start=$SECONDS
  shift
  if "$@"; then echo "ok   $name ($((SECONDS - start)) s)"; else echo "FAIL $name ($((SECONDS - start)) s)"; failed=$((failed + 1)); fi
}
prints_the_table() { inside scripts/try | tee /dev/stderr | grep 'Conv2DBackpropFilter' >/dev/null; }
is_fast() { local start=$SECONDS; inside scripts/try >/dev/null && [ $((SECONDS - start)) -le 5 ]; }
check "scripts/try prints the op table" prints_the_table
check "scripts/try is fast the second time" is_fast
check "scripts/test passes" inside scripts/test
echo "$((3 - failed)) passed, $failed failed"
[ "$failed" = 0 ]
