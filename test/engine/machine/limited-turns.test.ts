import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { LimitedTurns } from '../../../src/engine/machine/limited-turns.ts'

const owners = new Map<string, object>()

/** Returns the owner with a name. */
function ownerOf(name: string): object {
  const owner = owners.get(name) ?? {}
  owners.set(name, owner)
  return owner
}

const A = ownerOf('a')
const B = ownerOf('b')

/** The time of the stopwatch, in milliseconds: a busy machine does not end a turn early. */
let now = 0
beforeEach(() => {
  vi.spyOn(process, 'hrtime').mockImplementation(() => [0, now * 1_000_000])
})
afterEach(() => vi.restoreAllMocks())

/** Takes so long that a turn has time for one. */
function work(): void {
  now += 12
  // Timers need real time.
  const end = performance.now() + 12
  while (performance.now() < end);
}

test('callbacks run at once while there is time in the turn, and then wait for the next one', async () => {
  const turns = new LimitedTurns()
  const order: string[] = []
  turns.run(A, () => order.push('short'))
  await turn()
  expect(turns.isFreeFor(A)).toBe(true)
  work()
  expect(turns.isFreeFor(A)).toBe(false)
  turns.run(A, () => order.push('late'))
  expect(order).toEqual(['short'])
  await turn()
  await turn()
  expect(order).toEqual(['short', 'late'])
  expect(turns.isFreeFor(A)).toBe(true)
})

test('work that its owner runs itself counts too', async () => {
  const turns = new LimitedTurns()
  expect(turns.isFreeFor(A)).toBe(true)
  expect(turns.isFreeFor(A)).toBe(true)
  work()
  expect(turns.isFreeFor(A)).toBe(false)
  await turn()
  expect(turns.isFreeFor(A)).toBe(true)
})

test('what continues in a turn may use its time, and no more', async () => {
  const turns = new LimitedTurns()
  const free: boolean[] = []
  const read = async () => {
    await turns.next(A)
    await undefined
    free.push(turns.isFreeFor(A))
    work()
    free.push(turns.isFreeFor(A))
  }
  const waiting = read()
  turns.run(B, work)
  await waiting
  expect(free).toEqual([true, false])
})

test('owners take turns, one that comes later too, and timers run in between', async () => {
  const turns = new LimitedTurns()
  const order: string[] = []
  const add = (owner: string, item: string) => {
    turns.run(ownerOf(owner), () => {
      work()
      order.push(item)
    })
  }
  for (const item of ['a1', 'a2', 'a3', 'a4']) add('a', item)
  setTimeout(() => order.push('timer'))
  add('b', 'b1')
  while (!turns.isEmpty) await turn()
  await turn()
  expect(order.filter((item) => item !== 'timer')).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  expect(order.indexOf('timer')).toBeLessThan(3)
})

test('what a callback leaves for the next turn comes before further callbacks', async () => {
  const turns = new LimitedTurns()
  const order: string[] = []
  const read = async (name: string) => {
    await turns.next(A)
    work()
    order.push(`made ${name}`)
    await turn()
    order.push(`sent ${name}`)
  }
  await Promise.all(['1', '2', '3'].map(read))
  expect(order).toEqual(['made 1', 'sent 1', 'made 2', 'sent 2', 'made 3', 'sent 3'])
})

test('many that are released together continue one after the other, each with its promises', async () => {
  const turns = new LimitedTurns()
  const order: string[] = []
  let turnsPassed = 0
  const count = () => {
    turnsPassed += 1
    if (order.length < 4) setImmediate(count)
  }
  setImmediate(count)
  const read = async () => {
    await turns.next(A)
    await undefined
    work()
    order.push(`in turn ${turnsPassed}`)
  }
  await Promise.all([read(), read(), read(), read()])
  expect(new Set(order).size).toBe(4)
})

test('a long read gives its turn to others after each limited time', async () => {
  const turns = new LimitedTurns()
  const order: string[] = []
  const stepsOf = (name: string) =>
    (function* () {
      for (let step = 1; step <= 3; step += 1) {
        work()
        order.push(`${name}${step}`)
        yield
      }
      return name
    })()
  let checks = 0
  const check = () => {
    checks += 1
  }
  const read = async (name: string) => {
    await turns.next(ownerOf(name))
    return turns.inSteps(ownerOf(name), stepsOf(name), check)
  }
  expect(await Promise.all([read('a'), read('b')])).toEqual(['a', 'b'])
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  expect(checks).toBe(6)
})

test('a request that arrives during a step of a long read waits for no further one', async () => {
  const turns = new LimitedTurns()
  let steps = 0
  let servedAfter: number | undefined
  function* longRead(other: net.Socket) {
    other.write('short')
    while (steps < 8) {
      work()
      steps += 1
      yield
    }
  }
  const serve = async (request: string) => {
    await turns.next(ownerOf(request))
    if (request === 'short') servedAfter = steps
    else await turns.inSteps(ownerOf(request), longRead(second), () => undefined)
  }
  const server = net.createServer((socket) => {
    socket.on('data', (request) => void serve(String(request)).then(() => socket.end()))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const connect = async () => {
    const socket = net.connect(port, '127.0.0.1').resume()
    await once(socket, 'connect')
    return socket
  }
  const [first, second] = [await connect(), await connect()]
  first.write('long')
  await Promise.all([once(first, 'end'), once(second, 'end')])
  expect(servedAfter).toBe(1)
})
