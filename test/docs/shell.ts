import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { freePort } from '../cli/executable.ts'
import { type Block, ROOT } from './blocks.ts'

/** The url of the daemon in the documents. */
const TOLD_PORT = /\b4242\b/g
const MARK = '\u001e'
const COLUMNS = 100

export type Shown = { readonly block: Block; readonly output: string }

/** Whether a terminal can be emulated here. The output of commands depends on it. */
const hasTerminal = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

/**
 * Runs the blocks of a document in order as a reader would: in one shell on a terminal, in a fresh clone, until one fails. Only
 * the port differs, so that documents can be tested in parallel.
 * @returns the output of each block, and whether it was on a terminal
 * @throws {Error} if a command fails, or if a background command ends
 */
export async function runBlocks(blocks: readonly Block[]): Promise<{ shown: Shown[]; onTerminal: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-documents-'))
  const port = await freePort()
  const here = (text: string) => text.replaceAll(TOLD_PORT, String(port))
  const there = (text: string) => text.replaceAll(String(port), '4242')
  try {
    clone(folder)
    const steps = blocks.map((block, index) => {
      const file = join(folder, 'blocks', `${index}.sh`)
      writeFileSync(file, here(block.text))
      return `mark ${index}\n${block.way === 'background' ? `background ${file}` : `source ${file}`}`
    })
    const script = join(folder, 'blocks/all.sh')
    writeFileSync(script, [PRELUDE, ...steps, 'mark end', ''].join('\n'))
    const { status, output } = await run(script, join(folder, 'clone'), {
      PAYTWIN_PORT: String(port),
      TMPDIR: folder,
    })
    const shown = blocks.map((block, index) => {
      const [, printed = ''] = output.split(`${MARK}${index}\n`)
      return { block, output: there(printed.split(MARK)[0] ?? '') }
    })
    if (status !== 0)
      throw new Error(`a block failed with ${status}:\n${there(output.replaceAll(MARK, '--- '))}`)
    return { shown, onTerminal: hasTerminal }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Skips `npm ci`, which the tests themselves need. A background command must print something within 20 s, with a daemon that
 * answers. Its later output is ignored.
 */
const PRELUDE = `
set -eo pipefail
shopt -s expand_aliases
stty cols ${COLUMNS} -echo 2>/dev/null || true
npm() {
  case "$1" in
    ci) ;;
    start) command npm "$@" ;;
    *) echo "npm $1 would change what all tests share: say elsewhere"; return 1 ;;
  esac
}
mark() { printf '${MARK}%s\\n' "$1"; }
# Each job is a group of its own: what stays ends with all that it has started.
set -m
jobs=()
end() { for job in "\${jobs[@]}"; do kill -- "-$job" 2>/dev/null || true; wait "$job" || true; done; }
trap end EXIT
background() {
  ( source "$1" ) > "$1.out" 2>&1 < /dev/null &
  jobs+=("$!")
  for _ in $(seq 200); do
    if [ -s "$1.out" ] && (: < "/dev/tcp/127.0.0.1/$PAYTWIN_PORT") 2>/dev/null; then cat "$1.out"; return; fi
    sleep 0.1
  done
  echo "no daemon, or no word, after this:"; cat "$1.out"; return 1
}
`

/** What a clone has after `npm ci`: the project's files that commands use, the dependencies and the build. */
function clone(folder: string): void {
  const root = join(folder, 'clone')
  for (const name of ['clone', 'blocks', 'bin']) mkdirSync(join(folder, name))
  for (const name of ['bin', 'fixtures', 'package.json'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  for (const name of ['dist', 'node_modules']) symlinkSync(join(ROOT, name), join(root, name))
  symlinkSync(join(root, 'bin/paytwin.js'), join(folder, 'bin/paytwin'))
}

async function run(script: string, cwd: string, variables: Readonly<Record<string, string>>) {
  const [command, args] = hasTerminal
    ? ['script', ['--quiet', '--flush', '--return', '--command', `bash ${script}`, '/dev/null']]
    : ['bash', [script]]
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(PAYTWIN|VITEST|FORCE_COLOR|npm_)/.test(name),
  )
  const path = `${join(cwd, '../bin')}:${process.env.PATH}`
  const env = { ...Object.fromEntries(clean), ...variables, PATH: path, TERM: 'xterm' }
  const child = spawn(command as string, args as string[], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [status] = await once(child, 'exit')
  return { status: status as number | null, output: seen(output) }
}

/** The sequence with which a command erases its progress line. */
const ERASE = '\u001b[K'

/** Returns the final content of the terminal, without colors. */
const seen = (output: string) =>
  output
    .split(/\r?\n/)
    .map((line) => stripVTControlCharacters(line.split(ERASE).at(-1) ?? ''))
    .join('\n')
