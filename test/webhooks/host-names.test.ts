import { execFileSync, spawn } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { HostNames, type HostNamesOptions } from '../../src/webhooks/host-names.ts'
import { type LookUp, LookupProcesses, SCRIPT } from '../../src/webhooks/lookup-processes.ts'
import { stopStopwatch } from '../stopwatch.ts'

const FOUND = [{ address: '127.0.0.1', family: 4 }]
const NEVER = new AbortController().signal
setMaxListeners(0, NEVER)
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A name service that answers when the test requests it. */
function makeNames(options: HostNamesOptions = {}) {
  const asked: string[] = []
  const responses = new Map<string, () => void>()
  const lookUp: LookUp = (name, signal) =>
    new Promise((resolve, reject) => {
      asked.push(name)
      responses.set(name, () => resolve(FOUND))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const names = new HostNames(lookUp, options)
  onTestFinished(() => names.close())
  const resolve = (merchant: string, name: string, signal = NEVER) => {
    const found = names.resolve(name, { merchant, signal })
    // A test that closes the name service early does not check the remaining lookups.
    found.catch(() => undefined)
    return found
  }
  const response = async (name: string) => {
    responses.get(name)?.()
    await settled()
  }
  return { names, resolve, response, asked }
}

test.each(['localhost', 'localhost.', 'shop.localhost', 'LOCALHOST'])(
  '%s is resolved without a lookup',
  async (name) => {
    const { resolve, asked } = makeNames()
    expect(await resolve('A', name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
    expect(asked).toEqual([])
  },
)

test('of very many addresses of a name the first are used', async () => {
  const all = Array.from({ length: 4_000 }, (_, index) => ({
    address: `127.0.${index >> 8}.${index & 255}`,
    family: 4,
  }))
  const names = new HostNames(() => Promise.resolve(all))
  onTestFinished(() => names.close())
  expect(await names.resolve('shop.test', { merchant: 'A', signal: NEVER })).toEqual(all.slice(0, 16))
})

test('a merchant has one lookup at a time, and merchants take turns', async () => {
  const { resolve, response, asked } = makeNames()
  for (const name of ['a1', 'a2', 'a3']) void resolve('A', name)
  for (const merchant of ['B', 'C', 'D', 'E', 'F']) void resolve(merchant, `${merchant.toLowerCase()}1`)
  await settled()
  expect(asked).toEqual(['a1', 'b1', 'c1', 'd1'])
  await response('a1')
  await response('b1')
  // The merchants that have waited longest come first.
  expect(asked.slice(4)).toEqual(['e1', 'f1'])
})

test('many names of one merchant do not delay those of another', async () => {
  const { resolve, response, asked } = makeNames()
  for (let index = 0; index < 50; index += 1) void resolve('A', `slow${index}.test`)
  const other = resolve('B', 'shop.test')
  await settled()
  expect(asked).toEqual(['slow0.test', 'shop.test'])
  await response('shop.test')
  expect(await other).toEqual(FOUND)
})

test('equal names share one lookup, also those that wait for their turn', async () => {
  const { resolve, response, asked } = makeNames()
  const other = resolve('A', 'other.test')
  const found = ['A', 'A', 'B', 'C'].map((merchant) => resolve(merchant, 'shop.test'))
  await settled()
  expect(asked).toEqual(['other.test', 'shop.test'])
  await response('shop.test')
  expect(await Promise.all(found)).toEqual(Array(4).fill(FOUND))
  await response('other.test')
  expect(await other).toEqual(FOUND)
  expect(asked).toHaveLength(2)
})

test('a lookup that takes too long fails, and the next one has its turn', async () => {
  const { resolve, response, asked } = makeNames({ promptMs: 20, lookupMs: 50 })
  const slow = resolve('A', 'slow.test')
  const next = resolve('A', 'shop.test')
  await expect(slow).rejects.toThrow('slow.test was not resolved to an address within 0.05 seconds')
  await settled()
  expect(asked).toEqual(['slow.test', 'slow.test', 'shop.test'])
  await response('shop.test')
  expect(await next).toEqual(FOUND)
})

describe('among merchants whose names hang', () => {
  const MANY = Array.from({ length: 24 }, (_, index) => `H${index}`)

  /** A name service that never answers for some names, and the time limits of its lookups in their order. */
  function makeHanging() {
    const limits = new Map<number, (() => void)[]>()
    const setTimer = ((expire: () => void, ms: number) => {
      limits.set(ms, [...(limits.get(ms) ?? []), expire])
    }) as unknown as typeof setTimeout
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(setTimer)
    onTestFinished(() => timers.mockRestore())
    const expire = async (ms: number) => {
      const running = limits.get(ms) ?? []
      limits.delete(ms)
      for (const end of running) end()
      await settled()
    }
    return { ...makeNames({ promptMs: 1, lookupMs: 5, waitMs: 15 }), expire }
  }

  async function makeManyHanging() {
    const made = makeHanging()
    for (const merchant of MANY) void made.resolve(merchant, `${merchant}.test`)
    await settled()
    return made
  }

  test('a merchant waits for the first second of their lookups, four at a time', async () => {
    const { resolve, response, asked, expire } = await makeManyHanging()
    const shop = resolve('S', 'shop.test')
    for (let seconds = 0; seconds < MANY.length / 4; seconds += 1) {
      expect(asked).not.toContain('shop.test')
      await expire(1)
    }
    expect(asked).toContain('shop.test')
    await response('shop.test')
    expect(await shop).toEqual(FOUND)
  })

  test('a merchant is not delayed once they have hung', async () => {
    const { resolve, response, asked, expire } = await makeManyHanging()
    for (let seconds = 0; seconds < MANY.length / 4; seconds += 1) await expire(1)
    for (const merchant of MANY) void resolve(merchant, `${merchant}-2.test`)
    for (let time = 0; time < 3; time += 1) {
      const shop = resolve('S', 'shop.test')
      await settled()
      expect(asked.at(-1)).toBe('shop.test')
      await response('shop.test')
      expect(await shop).toEqual(FOUND)
      await expire(5)
    }
  })

  test('a merchant does not wait with their requests for the same name', async () => {
    const { resolve, response, asked, expire } = await makeManyHanging()
    for (let seconds = 0; seconds < MANY.length / 4; seconds += 1) await expire(1)
    for (const merchant of MANY) void resolve(merchant, 'shop.test')
    const shop = resolve('S', 'shop.test')
    await settled()
    expect(asked.at(-1)).toBe('shop.test')
    await response('shop.test')
    expect(await shop).toEqual(FOUND)
  })

  /** Lets the names of five merchants hang, so that repeated lookups wait. */
  async function hangFive({ resolve, expire }: ReturnType<typeof makeHanging>): Promise<void> {
    for (const merchant of ['A', 'B', 'C', 'D', 'E']) void resolve(merchant, `${merchant}.test`)
    await settled()
    await expire(1)
    await expire(1)
  }

  test('a merchant whose lookup was slow waits for theirs for 30 seconds, also if another one was answered', async () => {
    const watch = stopStopwatch()
    const made = makeHanging()
    const { resolve, response, asked, expire } = made
    void resolve('S', 'slow.test')
    void resolve('S', 'shop.test')
    await settled()
    await expire(1)
    await response('slow.test')
    await response('shop.test')
    await hangFive(made)
    watch.now += 29_000
    void resolve('S', 'next.test')
    await settled()
    expect(asked).not.toContain('next.test')
    await expire(15)
    watch.now += 1_000
    void resolve('S', 'later.test')
    await settled()
    expect(asked.at(-1)).toBe('later.test')
  })

  test('a lookup that runs when its wait is over goes on', async () => {
    const { resolve, response, expire } = makeHanging()
    const slow = resolve('S', 'shop.test')
    await settled()
    await expire(1)
    await expire(15)
    await response('shop.test')
    expect(await slow).toEqual(FOUND)
  })
})

test('a lookup that waits too long for its turn fails and is never started', async () => {
  const { resolve, response, asked } = makeNames({ waitMs: 50 })
  void resolve('A', 'slow.test')
  await expect(resolve('A', 'shop.test')).rejects.toThrow('shop.test was not looked up within 0.05 seconds')
  await response('slow.test')
  expect(asked).toEqual(['slow.test'])
})

test('a lookup that is aborted before its turn is never started', async () => {
  const { resolve, response, asked } = makeNames()
  const ended = new AbortController()
  void resolve('A', 'slow.test')
  const waiting = resolve('A', 'shop.test', ended.signal)
  ended.abort()
  await expect(waiting).rejects.toThrow('The lookup was aborted')
  await response('slow.test')
  expect(asked).toEqual(['slow.test'])
})

test('closing aborts all lookups and starts none', async () => {
  const { names, resolve, asked } = makeNames()
  const both = [resolve('A', 'slow.test'), resolve('A', 'shop.test')]
  await settled()
  names.close()
  for (const each of both) await expect(each).rejects.toThrow('The lookup was aborted')
  await settled()
  expect(asked).toEqual(['slow.test'])
})

/** Child processes that run a script. The names are literal addresses, which need no name server. */
function makeProcesses(script?: string) {
  const processes = new LookupProcesses(script)
  onTestFinished(() => processes.close())
  return processes
}

test('a child process resolves names as the system does, one after the other', async () => {
  const { lookUp } = makeProcesses()
  expect(await lookUp('127.0.0.1', NEVER)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await lookUp('::1', NEVER)).toEqual([{ address: '::1', family: 6 }])
})

test('a child process that resolves many names gets no more listeners with each', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const { lookUp } = makeProcesses()
  for (let count = 0; count < 15; count += 1) await lookUp('127.0.0.1', NEVER)
  await settled()
  expect(warnings).toEqual([])
})

test('a child process that fails or ends is reported, and the next lookup works', async () => {
  const script = `process.on('message', (name) => {
    if (name === 'end') process.exit()
    process.send(name === 'no' ? { message: 'not found', code: 'ENOTFOUND' } : { found: [{ address: String(process.pid), family: 4 }] })
  })`
  const { lookUp } = makeProcesses(script)
  await expect(lookUp('no', NEVER)).rejects.toMatchObject({ message: 'not found', code: 'ENOTFOUND' })
  const [first] = await lookUp('yes', NEVER)
  expect(await lookUp('yes', NEVER)).toEqual([first])
  await expect(lookUp('end', NEVER)).rejects.toThrow(
    'end could not be looked up: the lookup process has ended',
  )
  expect(await lookUp('yes', NEVER)).not.toEqual([first])
})

test('a child process that does not answer is killed when the lookup is aborted', async () => {
  const script = `process.on('message', (file) => require('node:fs').writeFileSync(file, String(process.pid)))`
  const { lookUp } = makeProcesses(script)
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-lookup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const giveUp = new AbortController()
  const found = lookUp(`${folder}/pid`, giveUp.signal)
  await expect
    .poll(() => existsSync(`${folder}/pid`) && readFileSync(`${folder}/pid`, 'utf8'), { timeout: 10_000 })
    .toMatch(/\d/)
  giveUp.abort(new Error('too late'))
  await expect(found).rejects.toThrow('too late')
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'))
  const isAlive = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 10_000 }).toBe(false)
})

test('a child process whose lookup hangs ends when the daemon is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-lookup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  // As a lookup does, opening a pipe blocks a thread that cannot be interrupted.
  const hangs = `require('node:dns').lookup = (pipe) => {
    require('node:fs').open(pipe, 'r', () => {})
    process.send('hangs')
  };`
  const child = spawn(process.execPath, ['-e', hangs + SCRIPT], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.send(join(folder, 'pipe'))
  await once(child, 'message')
  const exited = once(child, 'exit')
  child.disconnect()
  expect(await exited).toEqual([null, 'SIGKILL'])
})

test('a lookup without descriptors left fails, and signals no other process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-lookup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const contents = `
    import { openSync } from 'node:fs'
    import { LookupProcesses } from './src/webhooks/lookup-processes.ts'
    const { lookUp } = new LookupProcesses()
    const fill = () => { for (;;) openSync('/dev/null') }
    Promise.resolve().then(fill).catch(() => lookUp('shop.test', new AbortController().signal))
      .catch((error) => console.log(error.message))`
  const outfile = join(folder, 'lookup.cjs')
  const stdin = { contents, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' as const }
  buildSync({ stdin, outfile, bundle: true, platform: 'node', logLevel: 'warning' })
  // The shell is in the group of the process, and reports how that ended.
  const script = 'ulimit -n 40; "$0" "$1"; echo "status $?"'
  const shell = spawn('sh', ['-c', script, process.execPath, outfile], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.on('data', (text) => (output += text))
  const ended = await once(shell, 'close')
  expect([output, ...ended]).toEqual([
    `shop.test could not be looked up: spawn ${process.execPath} EMFILE\nstatus 0\n`,
    0,
    null,
  ])
})
