import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const DOCUMENTS = ['README.md', 'docs/test-library.md']
/** What the project's own tests need beside paytwin. */
const TOOLS = ['vitest', 'typescript', '@types/node']

type Finished = {
  readonly status: number | null
  readonly output: string
  /** From its last word to its end, in seconds. */
  readonly lingered: number
}

/** The processes that have not ended, including those of timed-out tests. */
const running = new Set<ChildProcess>()

/** A project that has installed paytwin as it would be published, and holds the documents' examples. */
export type Project = {
  /** The files of the package. */
  readonly files: readonly string[]
  /** The installed package in node_modules. */
  readonly installed: string
  readonly tarball: string
  /** The examples' files. */
  readonly examples: readonly string[]
  /** Runs Node in it, to its end. */
  node(...args: readonly string[]): Promise<Finished>
  remove(): void
}

/**
 * Packs paytwin with npm and unpacks it where npm would have put it. What it depends on is linked from this project's
 * node_modules, so that neither a network nor a compiler is needed.
 */
export async function newProject({
  documents = DOCUMENTS,
  linked = {},
}: {
  /** The documents whose examples it holds. */
  readonly documents?: readonly string[]
  /** Further packages that the examples use, each with the installed package that stands for it. */
  readonly linked?: Readonly<Record<string, string>>
} = {}): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-project-'))
  const [packed] = JSON.parse(
    await succeed('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT),
  )
  const tarball = join(folder, packed.filename)
  const modules = join(folder, 'node_modules')
  const installed = join(modules, 'paytwin')
  mkdirSync(installed, { recursive: true })
  await succeed('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], folder)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const own = [...Object.keys(dependencies), ...TOOLS].map((name) => [name, name] as const)
  for (const [name, target] of [...own, ...Object.entries(linked)]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', target), join(modules, name))
  }
  cpSync(join(import.meta.dirname, 'project'), folder, { recursive: true })
  const examples = documents.flatMap(examplesIn)
  for (const { name, text } of examples) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true }))
  return {
    files: packed.files.map(({ path }: { path: string }) => path),
    installed,
    tarball,
    examples: examples.map(({ name }) => name),
    node: (...args) => run(process.execPath, args, folder),
    remove: () => {
      // With the workers that it may have.
      for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
      rmSync(folder, { recursive: true })
    },
  }
}

/** The blocks of a document that are programs: each is a file, and its first line says which. */
function examplesIn(document: string): { name: string; text: string }[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```(?:ts|js)\n(?<text>.*?)^```$/gms)].map(({ groups }) => {
    const block = groups?.text ?? ''
    const name = /^\/\/ (\S+)\n/.exec(block)?.[1]
    if (name === undefined) throw new Error(`${document}: a block does not say which file it is: ${block}`)
    return { name, text: block }
  })
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { status, output } = await run(command, args, cwd, ['ignore', 'pipe', 'inherit'])
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`)
  return output
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  stdio: ['ignore', 'pipe', 'pipe' | 'inherit'] = ['ignore', 'pipe', 'pipe'],
): Promise<Finished> {
  // The environment of this vitest must not affect the vitest of the project.
  const { VITEST, VITEST_POOL_ID, VITEST_WORKER_ID, VITEST_MODE, TEST, NODE_ENV, JEST_WORKER_ID, ...env } =
    process.env
  const child = spawn(command, args, { cwd, stdio, env: { ...env, NO_COLOR: '1' }, detached: true })
  running.add(child)
  let output = ''
  let spoken = performance.now()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      spoken = performance.now()
    })
  }
  return new Promise((done, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      running.delete(child)
      done({ status, output, lingered: (performance.now() - spoken) / 1_000 })
    })
  })
}
