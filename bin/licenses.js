/** The licences of what was built into scripts and executable: nearly all ask to come along. */
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** The folder of the package in which a file lies, as in `node_modules/ink/build/index.js`. */
const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * @param files - what a build has read, from the folder of the project
 * @returns a text with the licence of each package
 * @throws {Error} for a package that does not say what it allows
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

/** That of the Node which runs this: its archives have it beside `bin`; elsewhere it is only said where it is. */
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
