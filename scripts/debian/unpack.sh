#!/usr/bin/env bash
# Unpacks Debian 13 packages into a folder, for programs that are newer than those of this system.
# Nothing is installed system-wide, and root is not needed.
#
#   unpack.sh <folder> <architecture> <packages>                       these packages
#   unpack.sh <folder> <architecture> --with-dependencies <packages>   and all that they need
#
# The packages come from the Debian mirror that this system uses, or from PROMPTMASON_DEBIAN_MIRROR.
set -euo pipefail
folder=$1 architecture=$2
shift 2
mirror=${PROMPTMASON_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
  awk '$1 == "Debian" && $3 !~ /security/ { print $3; exit }')}
if [ -z "$mirror" ]; then
  echo 'This system uses no Debian mirror: set PROMPTMASON_DEBIAN_MIRROR to the address of one.'
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{state/lists/partial,cache/archives/partial} "$folder"
touch "$work/state/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
# Uses its own package lists and an empty state, in which no package is installed.
apt() {
  apt-get -qq -y -o Dir::State="$work/state" -o Dir::State::status="$work/state/status" -o Dir::Cache="$work/cache" \
    -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User="$(id -un)" \
    -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Debug::NoLocking=true "$@"
}
cd "$work"
apt update
if [ "$1" = --with-dependencies ]; then
  shift
  apt install --download-only --no-install-recommends "$@"
else
  (cd cache/archives && apt download "$@")
fi
for package in cache/archives/*.deb; do dpkg -x "$package" "$folder"; done
