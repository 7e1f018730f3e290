#!/usr/bin/env bash
# By hand, some three minutes a version: does paytwin run under each Node that README.md names?
#
#   test/compat/nodes.sh [VERSION…]       the newest 20, 22, 24 and 26 when none is given
#   NODES=DIR test/compat/nodes.sh        keeps what was fetched and built in DIR
#
# Each Node, with its headers, comes from the npm registry; nothing else is fetched. In a copy of this tree SQLite's native part is
# built for it, then paytwin and the single executable, and the tests run that start them, and those of the rules and histories.
set -euo pipefail
cd "$(dirname "$0")/../.."

TESTS=(test/core test/store test/scenarios test/packaging test/cli/{loading,start,run,serve,tail}.test.ts)

# What the native part is built for where it is not the Node's own headers: with those of Node 24.19 and later better-sqlite3 12 aborts
# when statements are collected (nodejs/node#65446). What npm downloads ready-made was built with those of 24.0.
declare -A HEADERS=([24]=24.18.1)

[ $# -gt 0 ] || set -- 20 22 24 26
node_gyp=$(npm root --global)/npm/node_modules/node-gyp/bin/node-gyp.js
package=node-$(node -p '`${process.platform}-${process.arch}`')
if [ -n "${NODES:-}" ]; then
  nodes=$NODES
  mkdir -p "$nodes"
else
  nodes=$(mktemp -d)
  trap 'rm -rf "$nodes"' EXIT
fi

# The newest of a version. The registry lists them in no order.
newest() {
  npm view "$package@$1" version --json | node -p '
    const versions = [JSON.parse(require("node:fs").readFileSync(0, "utf8"))].flat()
    versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1)'
}

fetch() {
  local archive
  [ -d "$nodes/node-$1" ] && return
  archive=$(npm pack --silent --pack-destination "$nodes" "$package@$1")
  mkdir "$nodes/node-$1"
  tar -xzf "$nodes/$archive" -C "$nodes/node-$1" --strip-components 1
  rm "$nodes/$archive"
}

check() {
  local home=$nodes/node-$1 headers=$nodes/node-$2 tree=$nodes/tree-$1
  export PATH=$home/bin:$PATH
  [ "$(node --version)" = "v$1" ]
  mkdir -p "$tree"
  git ls-files -z | xargs -0 cp --parents -t "$tree"
  [ -d "$tree/node_modules" ] || cp -a node_modules "$tree"
  cd "$tree"
  if [ ! -f "built-for-$2" ]; then
    (cd node_modules/better-sqlite3 && node "$node_gyp" rebuild --release --nodedir="$headers" >build.log 2>&1) ||
      { tail -n 40 node_modules/better-sqlite3/build.log; return 1; }
    touch "built-for-$2"
  fi
  node esbuild.config.js
  node node_modules/vitest/vitest.mjs run "${TESTS[@]}"
}

results=()
for wanted in "$@"; do
  version=$(newest "$wanted")
  headers=${HEADERS[$wanted]:-$version}
  fetch "$version"
  fetch "$headers"
  echo "== Node $version, SQLite built for $headers"
  # Not as a condition: bash would go on after whatever fails within.
  set +e
  (set -e && check "$version" "$headers")
  status=$?
  set -e
  results+=("Node $version: $([ "$status" -eq 0 ] && echo works || echo FAILED)")
done
printf '%s\n' "${results[@]}"
[[ ! ${results[*]} =~ FAILED ]]
