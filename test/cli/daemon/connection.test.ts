import { execFileSync } from 'node:child_process'
import { lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { addressAfterRestart, findDaemon } from '../../../src/cli/daemon/connection.ts'
import { identityOf } from '../../../src/daemon/folder-identity.ts'
import { temporaryFolder } from '../executable.ts'
import { NOWHERE } from '../terminal.ts'

const TOKEN = 'a-token-of-the-folder-0123456789abcdef'
const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const remove of cleanUp.splice(0)) remove()
})

/** A data folder whose daemon has announced itself. */
function dataFolder(url: string, identity?: (path: string) => unknown): string {
  const { path, remove } = temporaryFolder()
  cleanUp.push(remove)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'daemon.json'), JSON.stringify({ url, pid: 1, folder: identity?.(path) }))
  writeFileSync(join(path, 'admin-token'), `${TOKEN}\n`)
  return path
}

test('without options and variables, the default address is used without a token', () => {
  expect(findDaemon({}, { env: NOWHERE })).toEqual({
    url: 'http://127.0.0.1:4242',
    token: null,
  })
})

test('the data folder has the URL and the token', () => {
  const data = dataFolder('http://127.0.0.1:5000')
  const address = { url: 'http://127.0.0.1:5000', token: TOKEN, requiresProof: true }
  expect(findDaemon({ data }, { env: {} })).toEqual(address)
  expect(findDaemon({}, { env: { PAYTWIN_DATA: data } })).toEqual(address)
})

test('a copy of a data folder does not lead to the daemon of the original', () => {
  const url = 'http://127.0.0.1:5000'
  const data = dataFolder(url, (path) => ({ ...identityOf(path), inode: '1' }))
  expect(() => findDaemon({ data }, { env: {} })).toThrow(
    `The data folder ${data} is a copy, and its daemon.json names the daemon of the original, ${url}.`,
  )
  expect(findDaemon({ data, url }, { env: {} }).url).toBe(url)
})

test.each([
  ['itself', identityOf],
  ['one of another machine', () => ({ host: 'another.example', inode: '1' })],
])('a data folder whose daemon.json names %s leads to its daemon', (_, identity) => {
  const data = dataFolder('http://127.0.0.1:5000', identity)
  expect(findDaemon({ data }, { env: {} }).url).toBe('http://127.0.0.1:5000')
})

describe('a daemon that was found by its data folder', () => {
  const announce = (data: string, url: string) =>
    writeFileSync(join(data, 'daemon.json'), JSON.stringify({ url, pid: 1 }))

  test('is found again at another address, where it has to prove that it has the token', () => {
    const data = dataFolder('http://127.0.0.1:5000')
    const before = findDaemon({ data }, { env: {} })
    announce(data, 'http://127.0.0.1:5001')
    expect(addressAfterRestart(before, { data }, { env: {} })).toEqual({
      ...before,
      url: 'http://127.0.0.1:5001',
    })
  })

  test('is found with a token whose file can be read only once', () => {
    const data = dataFolder('http://127.0.0.1:5000')
    const file = join(data, 'token')
    writeFileSync(file, 'the-token-of-a-pipe')
    const io = { env: { PAYTWIN_ADMIN_TOKEN_FILE: file } }
    const before = findDaemon({ data }, io)
    rmSync(file)
    announce(data, 'http://127.0.0.1:5001')
    expect(addressAfterRestart(before, { data }, io)).toEqual({ ...before, url: 'http://127.0.0.1:5001' })
  })

  test('is not looked for elsewhere while the folder names none', () => {
    const data = dataFolder('http://127.0.0.1:5000')
    const io = { env: { PAYTWIN_ADMIN_TOKEN: 'the-token-of-the-environment' } }
    const before = findDaemon({ data }, io)
    writeFileSync(join(data, 'daemon.json'), '{')
    expect(addressAfterRestart(before, { data }, io)).toBeUndefined()
    rmSync(join(data, 'daemon.json'))
    expect(addressAfterRestart(before, { data }, io)).toBeUndefined()
  })

  test('is not taken in place of one whose URL was given', () => {
    const data = dataFolder('http://127.0.0.1:5000')
    const url = 'http://127.0.0.1:5000'
    const before = findDaemon({ data, url }, { env: {} })
    announce(data, 'http://127.0.0.1:5001')
    expect(addressAfterRestart(before, { data, url }, { env: {} })).toBeUndefined()
  })
})

test('the URL comes from --url, else PAYTWIN_URL, else the data folder', () => {
  const data = dataFolder('http://127.0.0.1:5000')
  const env = { PAYTWIN_URL: 'http://127.0.0.1:6000', PAYTWIN_DATA: data }
  expect(findDaemon({ url: 'http://127.0.0.1:7000' }, { env }).url).toBe('http://127.0.0.1:7000')
  expect(findDaemon({}, { env }).url).toBe('http://127.0.0.1:6000')
  expect(findDaemon({}, { env: { PAYTWIN_DATA: data } }).url).toBe('http://127.0.0.1:5000')
})

test("the folder's token is used only for the folder's daemon", () => {
  const data = dataFolder('http://127.0.0.1:5000')
  const tokenFor = (url: string) => findDaemon({ url, data }, { env: {} }).token
  expect(tokenFor('http://127.0.0.1:5000')).toBe(TOKEN)
  expect(tokenFor('http://127.0.0.1:5000/')).toBe(TOKEN)
  expect(tokenFor('http://127.0.0.1:5001')).toBeNull()
  expect(tokenFor('http://localhost:5000')).toBeNull()
  expect(tokenFor('https://127.0.0.1:5000')).toBeNull()
  expect(tokenFor('http://127.0.0.1:5000@example.com')).toBeNull()
})

test("PAYTWIN_ADMIN_TOKEN takes precedence over the folder's token", () => {
  const data = dataFolder('http://127.0.0.1:5000')
  const env = { PAYTWIN_ADMIN_TOKEN: 'the-token-of-the-environment' }
  expect(findDaemon({ data }, { env })).toEqual({
    url: 'http://127.0.0.1:5000',
    token: 'the-token-of-the-environment',
    // Another program may have the port of a daemon that was killed.
    requiresProof: true,
  })
  expect(findDaemon({ url: 'http://127.0.0.1:5000', data }, { env }).requiresProof).toBeUndefined()
  expect(findDaemon({ url: 'http://example.com', data }, { env }).token).toBe('the-token-of-the-environment')
})

test("PAYTWIN_ADMIN_TOKEN_FILE takes precedence over the folder's token, but not over PAYTWIN_ADMIN_TOKEN", () => {
  const data = dataFolder('http://127.0.0.1:5000')
  const file = join(data, 'another')
  writeFileSync(file, 'the-token-of-the-file\n')
  const env = { ...NOWHERE, PAYTWIN_ADMIN_TOKEN_FILE: file }
  expect(findDaemon({ data }, { env }).token).toBe('the-token-of-the-file')
  expect(findDaemon({ url: 'http://example.com' }, { env }).token).toBe('the-token-of-the-file')
  const both = { ...env, PAYTWIN_ADMIN_TOKEN: 'the-token-of-the-environment' }
  expect(findDaemon({ data }, { env: both }).token).toBe('the-token-of-the-environment')
  const missing = { PAYTWIN_ADMIN_TOKEN_FILE: join(data, 'missing') }
  expect(() => findDaemon({ data }, { env: missing })).toThrow(/^The admin token file cannot be read: ENOENT/)
})

test('a token file without an end is refused', () => {
  expect(() => findDaemon({}, { env: { PAYTWIN_ADMIN_TOKEN_FILE: '/dev/zero' } })).toThrow(
    expect.objectContaining({
      exitStatus: 2,
      message: 'The admin token file cannot be read: /dev/zero is larger than 65536 bytes',
    }),
  )
})

test('an empty variable counts as unset', () => {
  const env = { ...NOWHERE, PAYTWIN_URL: '', PAYTWIN_ADMIN_TOKEN: '' }
  expect(findDaemon({}, { env })).toEqual({
    url: 'http://127.0.0.1:4242',
    token: null,
  })
})

test.each(['nonsense', 'ftp://127.0.0.1', '127.0.0.1:4242', ''])('%j is not a valid daemon URL', (url) => {
  expect(() => findDaemon({ url }, { env: NOWHERE })).toThrow(expect.objectContaining({ exitStatus: 2 }))
})

test('a token with characters that a header cannot contain is refused', () => {
  const env = { ...NOWHERE, PAYTWIN_ADMIN_TOKEN: 'two\r\nlines' }
  expect(() => findDaemon({}, { env })).toThrow(expect.objectContaining({ exitStatus: 2 }))
})

test('an invalid daemon.json is an error', () => {
  const data = dataFolder('http://127.0.0.1:5000')
  writeFileSync(join(data, 'daemon.json'), '{')
  expect(() => findDaemon({ data }, { env: {} })).toThrow(expect.objectContaining({ exitStatus: 3 }))
})

test.each(['daemon.json', 'admin-token'])('a pipe in place of %s is refused, and not waited for', (name) => {
  const data = dataFolder('http://127.0.0.1:5000')
  rmSync(join(data, name))
  execFileSync('mkfifo', [join(data, name)])
  expect(() => findDaemon({ data }, { env: {} })).toThrow(
    expect.objectContaining({
      exitStatus: 3,
      message: `The data folder cannot be read: ${join(data, name)} is not a file`,
    }),
  )
})

describe('what belongs to another user is refused', () => {
  /** The path is the nth of those whose owner is checked. */
  const giveAway = (path: string, nth: number) => {
    const user = process.geteuid?.() ?? 0
    // Root may give files away, and is trusted by everybody else.
    if (user === 0) return lchownSync(path, 12345, 12345)
    const spy = vi.spyOn(process, 'geteuid').mockReturnValue(user + 1)
    for (let own = 0; own < nth; own += 1) spy.mockReturnValueOnce(user)
    cleanUp.push(() => spy.mockRestore())
  }

  test.each(['daemon.json', 'admin-token'])('a %s in a folder of this user', (name) => {
    const data = dataFolder('http://127.0.0.1:5000')
    giveAway(join(data, name), name === 'daemon.json' ? 1 : 2)
    expect(() => findDaemon({ data }, { env: {} })).toThrow(
      expect.objectContaining({
        exitStatus: 3,
        message: expect.stringMatching(
          new RegExp(
            `^The data folder cannot be read: .*${name} belongs to another user \\(\\d+; this is \\d+\\)$`,
          ),
        ),
      }),
    )
  })

  test('the folder, unless the url and the token are given otherwise', () => {
    const data = dataFolder('http://127.0.0.1:5000')
    giveAway(data, 0)
    const token = 'the-token-of-the-environment'
    const env = { PAYTWIN_ADMIN_TOKEN: token }
    const url = 'http://127.0.0.1:6000'
    for (const find of [
      () => findDaemon({ data }, { env: {} }),
      () => findDaemon({ data }, { env }),
      () => findDaemon({ data, url }, { env: {} }),
    ])
      expect(find).toThrow(
        expect.objectContaining({
          exitStatus: 3,
          message: expect.stringMatching(
            /^The data folder .* belongs to another user \(\d+; this is \d+\)\. Give /,
          ),
        }),
      )
    expect(findDaemon({ data, url }, { env })).toEqual({ url, token })
  })

  test('a link that leads to a folder of this user', () => {
    const own = dataFolder('http://127.0.0.1:5000')
    const data = join(dataFolder('http://127.0.0.1:5001'), 'link')
    symlinkSync(own, data)
    expect(findDaemon({ data }, { env: {} }).token).toBe(TOKEN)
    giveAway(data, 1)
    for (const path of [data, `${data}/`])
      expect(() => findDaemon({ data: path }, { env: {} })).toThrow(
        /^The data folder .* belongs to another user/,
      )
  })
})
