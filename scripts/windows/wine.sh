#!/usr/bin/env bash
# Runs a program of Wine 10 in the root directory of Debian 13 that `test.sh` unpacked into the cache:
#
#   PROMPTMASON_WINDOWS_CACHE=… WINEPREFIX=… scripts/windows/wine.sh wine program.exe arguments…
#
# It uses a separate mount namespace, so that nothing stays mounted. Of this system, the program sees
# the cache, /proc and /dev.
set -euo pipefail
cache=$PROMPTMASON_WINDOWS_CACHE
root=$cache/root
options=(--mount)
[ "$(id -u)" = 0 ] || options+=(--map-root-user)
exec unshare "${options[@]}" bash -c '
  root=$1 cache=$2 directory=$3 program=$4
  shift 4
  mkdir -p "$root$cache"
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --bind "$cache" "$root$cache"
  chroot=$(PATH=$PATH:/usr/sbin command -v chroot)
  export HOME=/root PATH=/usr/bin:/usr/sbin WINEDEBUG=${WINEDEBUG:--all}
  # In another locale, Wine does not see files with names that are not ASCII.
  export LC_ALL=C.UTF-8
  # Paths of this system, which do not exist there and would make Node print warnings.
  unset LD_LIBRARY_PATH XDG_RUNTIME_DIR DISPLAY NODE_EXTRA_CA_CERTS SSL_CERT_FILE
  exec "$chroot" "$root" /bin/bash -c "cd \"\$1\" 2>/dev/null || cd /; shift; exec \"\$@\"" - "$directory" "$program-stable" "$@"
' - "$root" "$cache" "$PWD" "$@"
