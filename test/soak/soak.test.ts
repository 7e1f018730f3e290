import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NO_ROOM } from '../cli/disk-limit.ts'
import { type RunningDaemon, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { FakedWall, hasFaketime } from '../faked-wall.ts'
import { dice, isLong, requested } from '../long.ts'
import { checkBooks, checkDatabase } from './books.ts'
import { Client } from './client.ts'
import { Disturbances } from './disturbances.ts'
import { Load } from './load.ts'
import { Merchant } from './merchant.ts'
import { Quiet } from './quiet.ts'
import { SilentPeers } from './silent-peers.ts'
import { until } from './until.ts'

/** In the suite each disturbance happens once. */
const MINUTES = requested('minutes', 0)
const SEED = requested('seed', 1)
/** Subscriptions that stay, and are renewed each day. */
const LASTING = 5
/** How many silent peers there are of each kind. */
const PEERS = isLong ? 20 : 3
/** Between two rounds of disturbances, in milliseconds. */
const LONGEST_REST_MS = 20_000
/** The interval at which memory, handles and peers are checked, in milliseconds. The lowest of many memory readings counts. */
const LOOK_MS = isLong ? 1_000 : 250
/** The maximum size of the write-ahead log: 3,000 pages of 4 KiB, and some more during a checkpoint. */
const LARGEST_WAL_BYTES = 64 * 1_048_576
/** The maximum growth of memory from the second third to the last. SQLite's cache grows with the database, up to 64 MiB. */
const GROWTH_BYTES = 64 * 1_048_576

/** The resources of the daemon at a moment. */
type Look = {
  readonly memory: number
  readonly handles: number
  readonly wal: number
  readonly database: number
}

function lookAt({ pid }: RunningDaemon, data: string): Look {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const sizeOf = (file: string) => statSync(join(data, file), { throwIfNoEntry: false })?.size ?? 0
  return {
    memory: Number(kilobytes) * 1_024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    wal: sizeOf('paytwin.db-wal'),
    database: sizeOf('paytwin.db'),
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`
const described = ({ memory, handles, wal, database }: Look) =>
  `memory ${megabytes(memory)}, handles ${handles}, log ${megabytes(wal)}, database ${megabytes(database)}`
const thirdOf = <T>(all: readonly T[], which: 1 | 2): readonly T[] =>
  all.slice((which * all.length) / 3, ((which + 1) * all.length) / 3)
const lowest = (some: readonly Look[]) => Math.min(...some.map(({ memory }) => memory))
const most = (some: readonly Look[]) => Math.max(...some.map(({ handles }) => handles))

function checkLooks(looks: readonly Look[]): void {
  const [early, late] = [thirdOf(looks, 1), thirdOf(looks, 2)]
  if (isLong) console.log(`lowest memory ${megabytes(lowest(early))} → ${megabytes(lowest(late))}`)
  expect(lowest(late) - lowest(early)).toBeLessThan(GROWTH_BYTES)
  expect(most(late)).toBeLessThan(most(early) + 30)
  expect(Math.max(...looks.map(({ wal }) => wal))).toBeLessThan(LARGEST_WAL_BYTES)
}

/** A daemon with three merchants, the load and the disturbances. */
async function setUp(daemon: RunningDaemon, data: string, wall: FakedWall | undefined) {
  const { url } = daemon
  const client = new Client(url)
  const adminToken = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  const addMerchant = async (name: string) => {
    const operate = (path: string, body: object) =>
      client.write(adminToken, 'POST', `/_paytwin/${path}`, body)
    const { id } = await operate('merchants', { name, clock: 'live' })
    return new Merchant(client, { id, key: (await operate('keys', { merchant: id })).secret })
  }
  const frozen = new Merchant(client, { id: daemon.merchant, key: daemon.secret_key ?? '' })
  const live = await addMerchant('Live')
  const quiet = new Quiet(daemon, await addMerchant('Quiet'))
  for (const merchant of [frozen, live, quiet.merchant]) await merchant.prepare()
  await quiet.prepare()
  const load = new Load({ url, client, adminToken, frozen, live, seed: SEED })
  const peers = new SilentPeers({ url, key: frozen.key, each: PEERS })
  const roll = dice(SEED)
  const disturbances = new Disturbances({ daemon, client, load, frozen, live, quiet, wall, roll })
  return { client, load, peers, roll, disturbances, merchants: [frozen, live, quiet.merchant] }
}

type Soak = Awaited<ReturnType<typeof setUp>>

/** Disturbs the daemon until the time is over, and at least once in each way. */
async function disturb({ disturbances, peers, load, roll }: Soak, looks: readonly Look[]): Promise<void> {
  const end = performance.now() + MINUTES * 60_000
  for (;;) {
    await load.withoutSnapshots(async () => {
      await disturbances.fillDisk()
      await disturbances.stepWall()
    })
    if (performance.now() > end) break
    await delay(roll(LONGEST_REST_MS))
  }
  await peers.firstClosed()
  await until('there was enough to judge by', () => {
    const { events, posts, snapshots } = load.counts
    return events > 100 && posts > 10 && snapshots > 0 && looks.length > 9
  })
}

/** Checks peers and resources repeatedly. @returns the readings, the first failure if any, and a function that ends the checks */
function keepLooking({ peers }: Soak, daemon: RunningDaemon, data: string) {
  const looks: Look[] = []
  let stop: () => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    const interval = setInterval(() => {
      try {
        peers.look()
        looks.push(lookAt(daemon, data))
      } catch (error) {
        reject(error)
      }
      if (isLong && looks.length % 60 === 0) console.log(described(looks.at(-1) as Look))
    }, LOOK_MS)
    stop = () => clearInterval(interval)
  })
  return { looks, failure, stop }
}

async function run(soak: Soak, daemon: RunningDaemon, data: string): Promise<void> {
  const { client, load, peers, disturbances, merchants } = soak
  const lasting: string[][] = []
  for (const merchant of merchants) {
    const subscribe = async () => (await merchant.subscribe('pm_card_visa')).subscription
    lasting.push(await Promise.all(Array.from({ length: LASTING }, subscribe)))
  }
  const { looks, failure, stop } = keepLooking(soak, daemon, data)
  try {
    await load.during(() => Promise.race([disturb(soak, looks), failure]))
  } finally {
    stop()
  }
  const counts = { ...client.counts, ...load.counts, ...disturbances.counts, closedPeers: peers.closed }
  if (isLong) console.log(JSON.stringify(counts))
  checkLooks(looks)
  expect(client.counts.again).toBeLessThan(1 + client.counts.requests / 10_000)
  for (const [index, merchant] of merchants.entries()) await checkBooks(merchant, lasting[index] ?? [])
  const errors = daemon.log().match(/^.*"level":"(error|fatal)".*$/gm) ?? []
  expect(errors.filter((line) => !NO_ROOM.test(line))).toEqual([])
}

test('under a mixed load and disturbances, the daemon stays alive, does not leak and loses nothing', {
  timeout: isLong ? 24 * 3_600_000 : 300_000,
}, async () => {
  const folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const wall = hasFaketime ? new FakedWall(join(folder.path, 'wall')) : undefined
  const options = ['--data', data, '--clock', '2026-01-31T10:00:00Z', '--log-level', 'info']
  const daemon = await startDaemon(options, { env: wall?.env ?? {} })
  let soak: Soak | undefined
  try {
    soak = await setUp(daemon, data, wall)
    await run(soak, daemon, data)
    expect(await daemon.stop()).toBe(0)
    checkDatabase(data)
  } finally {
    await daemon.stop('SIGKILL')
    for (const part of [soak?.peers, soak?.load, soak?.client]) part?.close()
    folder.remove()
  }
})
