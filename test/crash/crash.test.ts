import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { temporaryFolder } from '../cli/executable.ts'
import { dice, isLong, requested } from '../long.ts'
import { Life } from './life.ts'
import { FIRST, WITH_COPIES } from './migrations.ts'

const ROUNDS = requested('rounds', 7)
const SEED = requested('seed', 1)
/** The number of rounds in one data folder. Each round reads all its data, so a new folder is used after that. */
const ROUNDS_OF_A_LIFE = 14
const WORKERS = 4
/** The maximum delay of a kill after the start of an action, in milliseconds. */
const LATEST_MS = 400

type Load = (life: Life, roll: (limit: number) => number, price: string) => Promise<unknown>

/** The actions during which the daemon is killed. */
const LOADS: Readonly<Record<string, Load>> = {
  'customers subscribe': (life, _, price) =>
    Promise.all(
      Array.from({ length: WORKERS }, async () => {
        for (;;) await life.subscribe(price)
      }),
    ),
  'time goes by': async (life, roll) => {
    for (;;) await life.write('/v1/test_helpers/clock/advance', { by: `${1 + Math.floor(roll(40))}d` })
  },
  'customers subscribe while time goes by': (life, roll, price) =>
    Promise.all([LOADS['time goes by']?.(life, roll, price), life.subscribe(price), life.subscribe(price)]),
  'snapshots are saved': async (life) => {
    for (let saved = 0; saved < 3; saved += 1) {
      const name = `snapshot-${life.snapshots.size + 1}`
      life.snapshots.set(name, { content: life.content, isSure: false })
      await life.operate('POST', 'snapshots', { name })
      life.snapshots.set(name, { content: life.content, isSure: true })
    }
  },
  'a snapshot is restored': async (life, roll) => {
    const known = [...life.snapshots].filter(([, { isSure }]) => isSure)
    const [name, snapshot] = known[Math.floor(roll(known.length))] ?? []
    if (!snapshot) return
    life.restoring = snapshot.content
    await life.operate('POST', `snapshots/${name}/restore`)
    life.take(snapshot.content)
    life.restoring = null
  },
  'it starts': (life, roll) => life.startAndKill(roll(LATEST_MS)),
}
const KINDS = Object.keys(LOADS)

/** Starts an action and kills the daemon during it. Interrupted writes were not acknowledged. */
async function killDuring(kind: string, life: Life, roll: (limit: number) => number, price: string) {
  if (kind === 'it starts') {
    await life.kill()
    return LOADS[kind]?.(life, roll, price)
  }
  const under = LOADS[kind]?.(life, roll, price)
  let isKilled = false
  const brokenOff = under?.catch((error: unknown) => {
    // Before the kill no request may fail. After it, only the connection may fail.
    if (!isKilled || !(error instanceof TypeError)) throw error
  })
  await Promise.race([delay(roll(LATEST_MS)), brokenOff])
  isKilled = true
  await life.kill()
  await brokenOff
}

test('a daemon that is killed during any action keeps every acknowledged write exactly once', {
  timeout: isLong ? 24 * 3_600_000 : 120_000,
}, async () => {
  const roll = dice(SEED)
  for (let round = 0; round < ROUNDS; ) {
    const life = new Life()
    try {
      if (roll(2) < 1) await life.startAndKill(roll(LATEST_MS))
      await life.start()
      await life.listen()
      const recurring = { interval: 'month' }
      const { id } = await life.write('/v1/prices', { unit_amount: 2000, currency: 'usd', recurring })
      await life.subscribe(id)
      for (let lived = 0; lived < ROUNDS_OF_A_LIFE && round < ROUNDS; lived += 1) {
        const kind = KINDS[round % KINDS.length] ?? ''
        await killDuring(kind, life, roll, id)
        await life.start()
        const { customers, events } = await life.examine().catch((error: unknown) => {
          throw new Error(`round ${round} of seed ${SEED}, ${kind}`, { cause: error })
        })
        round += 1
        if (isLong) console.log(`${round} ${kind}: ${customers.length} customers, ${events.length} events`)
      }
      expect(await life.daemon?.stop()).toBe(0)
      life.checkFiles()
    } finally {
      life.close()
    }
  }
})

const MIGRATIONS_KILLED = isLong ? ROUNDS : 4
const ROWS = 4_000

test('a killed migration is complete or has not happened, and its backup is undamaged', {
  timeout: isLong ? 24 * 3_600_000 : 60_000,
}, async () => {
  const { path: folder, remove } = temporaryFolder()
  const script = resolve('dist/test/migrate.js')
  execFileSync(resolve('node_modules/.bin/esbuild'), [
    join(import.meta.dirname, 'migrate.ts'),
    ...['--bundle', '--platform=node', '--format=esm', '--packages=external', '--log-level=warning'],
    `--outfile=${script}`,
  ])
  const roll = dice(SEED)
  const [original, path] = [join(folder, 'original.db'), join(folder, 'paytwin.db')]
  const found = { old: 0, new: 0 }
  try {
    const database = await openDatabase(original, 'normal', FIRST)
    const add = database.prepare('insert into setting (name, value) values (?, ?)')
    database.transaction(() => {
      for (let n = 0; n < ROWS; n += 1) add.run(`name ${n}`, 'x'.repeat(200))
    })()
    database.close()
    for (let round = 0; round < MIGRATIONS_KILLED; round += 1) {
      for (const name of readdirSync(folder).filter((file) => file.startsWith('paytwin.db')))
        rmSync(join(folder, name))
      copyFileSync(original, path)
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      // The first one is not killed; the others are killed ever earlier, or at a random moment.
      await (round === 0 ? once(child.stdout, 'end') : delay(roll(150)))
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      const version = versionIn(path)
      found[version === 1 ? 'old' : 'new'] += 1
      const backup = `${path}.schema-1.backup`
      if (existsSync(backup)) expect([versionIn(backup), rowsIn(backup, 'setting')]).toEqual([1, ROWS])
      else expect(version).toBe(1)
      const next = await openDatabase(path, 'normal', WITH_COPIES)
      next.close()
      expect([rowsIn(path, 'setting'), rowsIn(path, 'copy_of_setting')]).toEqual([ROWS, ROWS])
    }
    expect(found.new).toBeGreaterThan(0)
    if (isLong) console.log(`migrations killed: ${JSON.stringify(found)}`)
  } finally {
    remove()
  }
})

/** Reads a closed database. The only change is that SQLite moves the log into it. */
function look<T>(file: string, read: (database: Sqlite.Database) => T): T {
  const database = new Sqlite(file)
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    return read(database)
  } finally {
    database.close()
  }
}
const versionIn = (file: string) =>
  look(file, (database) => database.pragma('user_version', { simple: true }))
const rowsIn = (file: string, table: string) =>
  look(file, (database) =>
    database.prepare(`select count(*) from ${table} where name like 'name %'`).pluck().get(),
  )
