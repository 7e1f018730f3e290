import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../cli/executable.ts'
import { ROOT, textOf } from './dockerfile.ts'

type Step = { readonly run?: string; readonly uses?: string; readonly with?: Record<string, string> }
type Job = {
  readonly needs?: string | string[]
  readonly permissions?: object
  readonly steps: readonly Step[]
}

const { name, version, scripts, repository, homepage, bugs, publishConfig } = JSON.parse(
  textOf('package.json'),
)
const WORKFLOW = parse(textOf('.github/workflows/release.yml'))
const JOBS: [string, Job][] = Object.entries(WORKFLOW.jobs)
const NAME = `${name}-${version}-${process.platform}-${process.arch}`

const commands = JOBS.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []))

function temporary(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}

test('every script and file that the release workflow names exists', () => {
  expect(commands).toContain('npm run build:executable')
  for (const command of commands) {
    for (const [, script = ''] of command.matchAll(/\bnpm run ([\w:-]+)/g))
      expect(scripts).toHaveProperty([script])
    for (const [file] of command.matchAll(/\.ci\/[\w-]+/g)) accessSync(join(ROOT, file), constants.X_OK)
    const [, notes] = /--notes-file (\S+)/.exec(command) ?? []
    if (notes) expect(existsSync(join(ROOT, notes))).toBe(true)
  }
})

test('its jobs wait for the checks, and have no more rights than they need', () => {
  const names = JOBS.map(([job]) => job)
  expect(WORKFLOW.permissions).toEqual({ contents: 'read' })
  for (const [job, { needs = [], permissions }] of JOBS) {
    expect(names).toEqual(expect.arrayContaining([needs].flat()))
    if (job !== 'check') expect([needs].flat()).not.toEqual([])
    if (job === 'npm') expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' })
  }
  expect(publishConfig).toEqual({ access: 'public', provenance: true })
})

test('executables are built for x64 and arm64, and the image for both', () => {
  expect(WORKFLOW.jobs.executable.strategy.matrix.runner).toEqual(['ubuntu-22.04', 'ubuntu-22.04-arm'])
  const build = JOBS.flatMap(([, { steps }]) => steps).find(({ uses }) =>
    uses?.startsWith('docker/build-push-action'),
  )
  expect(build?.with?.platforms).toBe('linux/amd64,linux/arm64')
})

test('the package names its repository', () => {
  expect(repository).toEqual({ type: 'git', url: 'git+https://github.com/paytwin/paytwin.git' })
  expect([homepage, bugs]).toEqual([
    'https://github.com/paytwin/paytwin#readme',
    'https://github.com/paytwin/paytwin/issues',
  ])
})

test.each([
  [`v${version}`, 0, `${version}\n`, ''],
  ['v99.0.0', 1, '', `error: the tag is 'v99.0.0', but package.json has version ${version}\n`],
])('release-version %s ends with %i', (tag, status, stdout, stderr) => {
  const finished = spawnSync(join(ROOT, '.ci/release-version'), [tag], { encoding: 'utf8' })
  expect(finished).toMatchObject({ status, stdout, stderr })
})

test('release-files names the executable by its platform, with its licences and a checksum', () => {
  const from = temporary()
  const to = join(from, 'release')
  writeFileSync(join(from, 'paytwin'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(from, 'paytwin.LICENSES.txt'), 'MIT\n')
  const printed = execFileSync(join(ROOT, '.ci/release-files'), [to, from], { encoding: 'utf8' })
  expect(printed).toBe(`${NAME}\n`)
  expect(readdirSync(to)).toEqual([NAME, `${NAME}.LICENSES.txt`, `${NAME}.sha256`])
  accessSync(join(to, NAME), constants.X_OK)
  const checked = execFileSync('sha256sum', ['--check', `${NAME}.sha256`], { cwd: to, encoding: 'utf8' })
  expect(checked).toBe(`${NAME}: OK\n`)
})

test('every link of the documents in the package leads to a file of the package', () => {
  const packing = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', packing, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }))
  const files = new Set<string>(packed.files.map(({ path }: { path: string }) => path))
  const documents = [...files].filter((file) => file.endsWith('.md'))
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/stripe.md', 'docs/contract/README.md']),
  )
  const dead = documents.flatMap((document) =>
    [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !files.has(normalize(join(dirname(document), link))))
      .map((link) => `${document}: ${link}`),
  )
  expect(dead).toEqual([])
})
