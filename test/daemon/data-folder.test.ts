import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DataFolder } from '../../src/daemon/data-folder.ts'
import { temporaryFolder } from '../cli/executable.ts'
import { startListening } from '../http/raw-socket.ts'

const isRoot = process.geteuid?.() === 0
const NOBODY = 65_534

/** Makes the second file whose owner is checked, and all after it, another user's. */
function giveAwayAfterFolder(user: number): void {
  const spy = vi.spyOn(process, 'geteuid').mockReturnValue(user + 1)
  spy.mockReturnValueOnce(user)
  onTestFinished(() => spy.mockRestore())
}

let parent: ReturnType<typeof temporaryFolder>
let folder: DataFolder
beforeEach(() => {
  parent = temporaryFolder()
  folder = new DataFolder(join(parent.path, 'a', 'data'))
})
afterEach(() => parent.remove())

const file = (name: string) => join(folder.path, name)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('only its owner can read the folder, whatever its previous mode, and version control ignores it', () => {
  expect(modeOf(folder.path)).toBe('700')
  expect(readFileSync(file('.gitignore'), 'utf8')).toBe('*\n')
  expect(modeOf(file('.gitignore'))).toBe('600')
})

test('the admin token is created once', async () => {
  expect(await folder.adminToken(() => 'first')).toBe('first')
  expect(await folder.adminToken(() => 'second')).toBe('first')
  expect(modeOf(folder.adminTokenFile)).toBe('600')
})

test('an admin token that another daemon is just writing is awaited', async () => {
  writeFileSync(folder.adminTokenFile, '', { mode: 0o600 })
  const reading = folder.adminToken(() => 'second')
  writeFileSync(folder.adminTokenFile, 'first\n')
  expect(await reading).toBe('first')
})

test('files that a first start on a full disk, or a killed one, has left empty are written', async () => {
  writeFileSync(file('.gitignore'), '')
  writeFileSync(folder.adminTokenFile, '', { mode: 0o600 })
  const next = new DataFolder(folder.path)
  expect(readFileSync(file('.gitignore'), 'utf8')).toBe('*\n')
  expect(await next.adminToken(() => 'first')).toBe('first')
  expect(await next.adminToken(() => 'second')).toBe('first')
  writeFileSync(file('.gitignore'), '!*\n')
  expect(readFileSync(join(new DataFolder(folder.path).path, '.gitignore'), 'utf8')).toBe('!*\n')
})

test('an empty admin token that other users could have opened stays empty', async () => {
  writeFileSync(folder.adminTokenFile, '')
  chmodSync(folder.adminTokenFile, 0o644)
  await expect(folder.adminToken(() => 'first')).rejects.toThrow(
    /admin-token cannot be read: it is empty, and other users may have opened it\. Delete the file/,
  )
  expect(readFileSync(folder.adminTokenFile, 'utf8')).toBe('')
})

test('a running daemon is found until it removes daemon.json', () => {
  expect(folder.announced()).toBeUndefined()
  const own = { url: 'http://127.0.0.1:4242', pid: process.pid }
  folder.announce(own)
  expect(folder.announced()).toMatchObject(own)
  expect(modeOf(file('daemon.json'))).toBe('600')
  expect(readdirSync(folder.path)).not.toContain('daemon.json.new')
  folder.retract(own, (error) => expect(error).toBeUndefined())
  expect(folder.announced()).toBeUndefined()
  expect(existsSync(file('daemon.json'))).toBe(false)
})

test.each([
  ['at another address', { url: 'http://127.0.0.1:4343', pid: process.pid }],
  ['in another process', { url: 'http://127.0.0.1:4242', pid: process.ppid }],
])('the end of a daemon does not hide another one %s, in a folder that was replaced', (_, other) => {
  const own = { url: 'http://127.0.0.1:4242', pid: process.pid }
  folder.announce(own)
  new DataFolder(folder.path).announce(other)
  folder.retract(own, (error) => expect(error).toBeUndefined())
  expect(folder.announced()).toMatchObject(other)
})

test('a daemon ends in order though its folder cannot be written any more', async () => {
  const daemon = await startListening({ data: folder.path })
  const full = vi.spyOn(DataFolder.prototype, 'removeAnnouncement').mockImplementation(() => {
    throw new Error('EROFS')
  })
  onTestFinished(() => full.mockRestore())
  await daemon.close()
  full.mockRestore()
  const next = await startListening({ data: folder.path })
  expect(folder.announced()?.url).toBe(next.url)
  await next.close()
})

test('the announcement of a killed daemon is removed, whatever it is', () => {
  writeFileSync(file('daemon.json'), 'nonsense')
  folder.removeAnnouncement()
  expect(existsSync(file('daemon.json'))).toBe(false)
})

test('a daemon that was killed is not found', () => {
  // Beyond what any system gives as the number of a process.
  folder.announce({ url: 'http://127.0.0.1:4242', pid: 2 ** 30 })
  expect(folder.announced()).toBeUndefined()
})

test('the sessions of the dashboard are kept in a file of the owner', () => {
  const sessions = folder.dashboardSessions
  expect(sessions.read()).toBeUndefined()
  sessions.write('[]')
  sessions.write('[["a",1]]')
  expect(folder.dashboardSessions.read()).toBe('[["a",1]]\n')
  expect(modeOf(file('sessions.json'))).toBe('600')
  truncateSync(file('sessions.json'), 600_000_000)
  expect(sessions.read()).toBe('')
  sessions.clear()
  expect(folder.dashboardSessions.read()).toBeUndefined()
})

test('an invalid daemon.json announces no daemon', () => {
  writeFileSync(file('daemon.json'), 'nonsense')
  expect(folder.announced()).toBeUndefined()
})

test('a pipe announces no daemon, and does not block', () => {
  execFileSync('mkfifo', [file('daemon.json')])
  expect(folder.announced()).toBeUndefined()
})

test('a folder that cannot be created is refused with an error', () => {
  writeFileSync(join(parent.path, 'file'), '')
  expect(() => new DataFolder(join(parent.path, 'file', 'data'))).toThrow(
    /^The data folder .*file\/data cannot be written: /,
  )
})

test('a folder that cannot have subfolders is refused without an endless loop', () => {
  expect(() => new DataFolder('/proc/nope/data')).toThrow(
    /^The data folder \/proc\/nope\/data cannot be written: /,
  )
  expect(() => new DataFolder('')).toThrow(/^The data folder {2}cannot be written: ENOENT/)
})

describe('an admin token that cannot be read is refused:', () => {
  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
  ])('%s', async (_, make) => {
    make(folder.adminTokenFile)
    await expect(folder.adminToken(() => 'token')).rejects.toThrow(
      /^The admin token in .*admin-token cannot be read: it is not a file\. Delete the file/,
    )
  })
})

test('writing a file does not follow a link of its name', () => {
  const elsewhere = join(parent.path, 'elsewhere')
  writeFileSync(elsewhere, 'kept')
  symlinkSync(elsewhere, file('daemon.json.new'))
  folder.announce({ url: 'http://127.0.0.1:4242', pid: process.pid })
  expect(folder.announced()).toMatchObject({ pid: process.pid })
  expect(readFileSync(elsewhere, 'utf8')).toBe('kept')
})

describe('a folder that exists', () => {
  const existing = () => join(parent.path, 'existing')
  /** Makes a folder that others may look into; names that end in a slash are folders. */
  const make = (...names: string[]) => {
    mkdirSync(existing())
    for (const name of names) {
      if (name.endsWith('/')) mkdirSync(join(existing(), name), { recursive: true })
      else writeFileSync(join(existing(), name), '')
    }
    chmodSync(existing(), 0o755)
  }

  test.each([
    ['is empty', []],
    ['holds what keeps it in version control', ['.gitkeep']],
    ['is where a volume is mounted', ['lost+found/']],
    ['was left by a first start that was killed', ['.gitignore']],
    ['was left by one that was killed a little later', ['.gitignore', 'admin-token']],
    ['had its database deleted, to begin anew', ['.gitignore', 'admin-token', 'daemon.log', 'snapshots/']],
    ['has a database, and something else', ['paytwin.db', 'notes.txt']],
  ])('and %s is taken', (_, names: readonly string[]) => {
    make(...names)
    expect(new DataFolder(existing()).path).toBe(existing())
    expect(modeOf(existing())).toBe('700')
  })

  test('and has the name of the default data folder is accepted with any content', () => {
    const path = join(parent.path, '.paytwin')
    new DataFolder(join(path, 'try'))
    writeFileSync(join(path, 'fixtures.json'), '{}')
    chmodSync(path, 0o755)
    expect(new DataFolder(`${path}/`).path).toBe(`${path}/`)
    expect(modeOf(path)).toBe('700')
  })

  test('is accepted through a link', () => {
    make('paytwin.db')
    const link = join(parent.path, 'link')
    symlinkSync(existing(), link)
    expect(new DataFolder(link).path).toBe(link)
    expect(modeOf(existing())).toBe('700')
  })

  test.each([
    ['files', ['notes.txt']],
    ['a folder', ['src/']],
    ['files, and one of a name that paytwin uses too', ['daemon.log', 'syslog']],
    ['version control', ['.git/', '.gitignore']],
    ['a folder with almost the name of an inspection', ['.inspect-an-office/']],
  ])('and holds %s that are not paytwin’s is refused, and stays as it is', (_, names) => {
    make(...names)
    const before = readdirSync(existing())
    expect(() => new DataFolder(existing())).toThrow(
      /^The data folder .*existing contains other files, such as '.+', and no paytwin database\. Give a --data folder that is empty or does not exist\.$/,
    )
    expect([readdirSync(existing()), modeOf(existing())]).toEqual([before, '755'])
  })

  test('and is reached through a link is refused if it has other content', () => {
    make('notes.txt')
    const link = join(parent.path, 'link')
    symlinkSync(existing(), link)
    expect(() => new DataFolder(link)).toThrow(/contains other files/)
  })

  const PLANTABLE = [
    ...['paytwin.db', 'paytwin.db-wal', 'paytwin.db-shm', 'admin-token', 'daemon.log', 'daemon.log.1'],
    ...['daemon.json', 'daemon.json.new', 'sessions.json', '.gitignore', 'snapshots/'],
  ]
  /** A folder as it is before and after it was refused. */
  const left = () => [readdirSync(existing()), modeOf(existing())]
  const refusal = (name: string, why: string) =>
    new RegExp(`existing/${name} cannot be used: it ${why}\\. Remove it, or give another --data folder\\.$`)

  // Root can give a file away; for anybody else the user changes once the folder was checked.
  test.each(PLANTABLE)('and holds %s of another user is refused, and stays as it is', (given) => {
    make(given)
    const name = given.replace('/', '')
    if (isRoot) lchownSync(join(existing(), name), NOBODY, NOBODY)
    else giveAwayAfterFolder(statSync(existing()).uid)
    const before = left()
    expect(() => new DataFolder(existing())).toThrow(
      refusal(name, 'belongs to another user \\(\\d+; this is \\d+\\)'),
    )
    expect(left()).toEqual(before)
  })

  test('and contains another user’s link to a database is refused', () => {
    make()
    symlinkSync(folder.database, join(existing(), 'paytwin.db'))
    if (isRoot) lchownSync(join(existing(), 'paytwin.db'), NOBODY, NOBODY)
    else giveAwayAfterFolder(statSync(existing()).uid)
    expect(() => new DataFolder(existing())).toThrow(refusal('paytwin.db', 'belongs to another user .*'))
  })

  test.each(PLANTABLE.slice(1))('and holds a link at %s is refused, and stays as it is', (given) => {
    make('paytwin.db')
    const name = given.replace('/', '')
    symlinkSync(given.endsWith('/') ? parent.path : file('.gitignore'), join(existing(), name))
    const before = left()
    expect(() => new DataFolder(existing())).toThrow(refusal(name, 'is a symbolic link'))
    expect(left()).toEqual(before)
  })

  test.each(PLANTABLE.slice(0, -1))('and holds a pipe at %s is refused, and not waited for', (name) => {
    make()
    execFileSync('mkfifo', [join(existing(), name)])
    expect(() => new DataFolder(existing())).toThrow(refusal(name, 'is not a file'))
  })

  // Root can give a folder away; anybody else has one of root's.
  test('and belongs to another user is refused, even if it is empty', () => {
    make()
    if (isRoot) chownSync(existing(), NOBODY, NOBODY)
    const path = isRoot ? existing() : '/'
    const before = modeOf(path)
    expect(() => new DataFolder(path)).toThrow(
      /^The data folder .* cannot be used: it belongs to another user \(\d+; this is \d+\)\. Change its owner, or give another --data folder\.$/,
    )
    expect(modeOf(path)).toBe(before)
  })

  test('and contains its owner’s link to a database elsewhere is accepted', () => {
    make('notes.txt')
    symlinkSync('/nowhere/paytwin.db', join(existing(), 'paytwin.db'))
    expect(new DataFolder(existing()).path).toBe(existing())
  })

  test('and that another user’s link leads to is refused; this user’s own link is not', () => {
    make()
    const link = join(parent.path, '.paytwin')
    symlinkSync(existing(), link)
    expect(new DataFolder(link).path).toBe(link)
    if (isRoot) lchownSync(link, NOBODY, NOBODY)
    else giveAwayAfterFolder(statSync(existing()).uid)
    for (const path of [link, `${link}/`, `${link}/.`])
      expect(() => new DataFolder(path)).toThrow(
        /^The data folder .* cannot be used: it belongs to another user/,
      )
  })
})
