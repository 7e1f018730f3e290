import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limitFileSize } from './disk-limit.ts'
import { cleanEnvironment, EXECUTABLE, firstLine, temporaryFolder } from './executable.ts'

const KEY = 'sk_test_whatiswrittenisalllost00001'

let folder: ReturnType<typeof temporaryFolder>
let daemon: ChildProcess | undefined
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  if (daemon?.exitCode === null && daemon.signalCode === null) {
    daemon.kill()
    await once(daemon, 'exit')
  }
  daemon = undefined
  folder.remove()
})

type Serving = { readonly child: ChildProcess; readonly pid: number; readonly url: string }

/** Starts a daemon in the foreground. @param stderr - a descriptor, or 'pipe' */
async function serve(stderr: number | 'pipe'): Promise<Serving> {
  const args = [EXECUTABLE, 'serve', '--port', '0', '--json', '--ephemeral', '--secret-key', KEY]
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', stderr],
  })
  daemon = child
  const stdout = child.stdout as NodeJS.ReadableStream
  const { pid, url } = JSON.parse((await firstLine(stdout)) ?? '')
  return { child, pid, url }
}

/** Sends a request whose unknown parameter is logged once. @returns its status */
async function log({ url }: Serving, name: string): Promise<number> {
  const response = await fetch(`${url}/v1/customers?${name}=1`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  await response.text()
  return response.status
}

describe('a daemon in the foreground serves on', () => {
  test('when stderr is on a full disk, and says later how many lines were lost', async () => {
    const path = join(folder.path, 'serve.log')
    const file = openSync(path, 'a')
    const serving = await serve(file)
    closeSync(file)
    expect(await log(serving, 'first')).toBe(200)
    limitFileSize(serving, 1)
    for (const name of ['second', 'third']) expect(await log(serving, name)).toBe(200)
    limitFileSize(serving, 'unlimited')
    expect(await log(serving, 'fourth')).toBe(200)
    const written = await vi.waitFor(() => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      expect(lines.at(-1)).toContain('fourth')
      return lines.slice(-3).map((line) => JSON.parse(line))
    })
    expect(written).toMatchObject([
      { params: expect.stringContaining('first') },
      { level: 'warn', msg: '2 earlier lines of the log could not be written to stderr' },
      { params: expect.stringContaining('fourth') },
    ])
  })

  test('when the reader of stderr does not read, and ends', async () => {
    const serving = await serve('pipe')
    for (let count = 0; count < 70; count += 1)
      expect(await log(serving, `${'x'.repeat(7_000)}${count}`)).toBe(200)
    serving.child.kill()
    expect(await once(serving.child, 'exit')).toEqual([0, null])
  })

  test('when the reader of stderr is gone', async () => {
    const serving = await serve('pipe')
    serving.child.stderr?.destroy()
    for (const name of ['first', 'second', 'third']) expect(await log(serving, name)).toBe(200)
    serving.child.kill()
    expect(await once(serving.child, 'exit')).toEqual([0, null])
  })
})

test.each([
  ['a command', ['completion', 'bash']],
  ['a help text', ['--help']],
  ['a daemon', ['serve', '--port', '0', '--ephemeral', '--json']],
])('%s whose stdout is on a full disk says so in one line, and fails', async (_, args) => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    env: cleanEnvironment(),
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
  const [status] = await once(child, 'close')
  expect(stderr).toBe('error: The output cannot be written: ENOSPC: no space left on device, write\n')
  expect(status).toBe(1)
})

test('a command whose stdout and stderr are on a full disk fails', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [EXECUTABLE, 'completion', 'bash'], {
    env: cleanEnvironment(),
    stdio: ['ignore', full, full],
  })
  closeSync(full)
  expect(await once(child, 'exit')).toEqual([1, null])
})
