/** Collects the licences of the packages in the build, because nearly all require that they are included. */
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** Matches the package folder in a path such as `node_modules/ink/build/index.js`. */
const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * Returns the text of the licences of all packages of a build.
 * @param files - the files that the build read, relative to the project's folder
 * @throws {Error} for a package without a licence
 */
function licensesOf(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []))
  return [...folders].sort().map(licenseIn).join('\n')
}

function licenseIn(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each))
  if (!file && !license) throw new Error(`${name} ${version} has no licence`)
  const text = file ? readFileSync(join(folder, file), 'utf8') : `${license}. ${author?.name ?? author ?? ''}`
  return section(`${name} ${version}`, text)
}

/** Returns the licence of this Node. Its archives have it beside `bin`; otherwise the text links to it. */
function licenseOfNode() {
  const file = join(dirname(process.execPath), '../LICENSE')
  const address = `https://github.com/nodejs/node/blob/${process.version}/LICENSE`
  return section(
    `Node ${process.versions.node}`,
    existsSync(file) ? readFileSync(file, 'utf8') : `See ${address}`,
  )
}

const section = (title, text) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`

module.exports = { licenseOfNode, licensesOf }
