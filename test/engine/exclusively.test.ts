import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { StateReplaced } from '../../src/engine/machine/merchant-state.ts'
import { markState } from '../../src/engine/machine/state-mark.ts'
import { TIME_LIMITS } from '../../src/engine/machine/work-limits.ts'
import { addMerchant, createMerchant } from '../../src/engine/resources/merchant.ts'
import { FIRST_GENERATION } from '../../src/store/directory.ts'
import { anotherMerchant } from '../http/support.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { clientOf, type Twin } from '../twin.ts'

/** A sandbox whose clock has many days of work ahead, and the order in which promises resolve. */
async function prepare(options: Parameters<typeof openTwin>[0] = {}) {
  const twin = await openTwin(options)
  const { engine } = twin.sandbox
  const order: string[] = []
  const note = <T>(what: string, promise: Promise<T>): Promise<T> =>
    promise.finally(() => {
      order.push(what)
    })
  return { twin, engine, order, note }
}

async function whileAdvancing(twin: Twin, by = '2y'): Promise<{ advance: Promise<unknown> }> {
  await subscribe(twin, { price: { recurring: { interval: 'day' } } })
  const { merchant } = twin.sandbox
  const advance = twin.advance({ by })
  while (merchant.held.size === 0) await turn()
  return { advance }
}

describe('exclusive work', () => {
  test('runs before all waiting commands, which then run in order, those of the operator in turns with the others', async () => {
    const { twin, engine, order, note } = await prepare()
    const { merchant } = twin.sandbox
    const command = () => engine.command(merchant, null, () => undefined)
    await note('before', command())
    await Promise.all([
      note('at once', command()),
      note(
        'alone',
        engine.runExclusively(() => undefined),
      ),
      note('later', command()),
      note(
        'operator',
        engine.operatorCommand(() => undefined),
      ),
    ])
    expect(order).toEqual(['before', 'alone', 'at once', 'operator', 'later'])
  })

  test('waits until an advance has ended, and commands of other merchants run in the meantime', async () => {
    const { twin, engine, order, note } = await prepare()
    const other = await createMerchant(engine, { name: 'Other', clock: at('2026-01-31T10:00:00Z') })
    const { advance } = await whileAdvancing(twin)
    const alone = note(
      'alone',
      engine.runExclusively(() => undefined),
    )
    await turn()
    await Promise.all([
      note(
        'other',
        engine.command(other, null, () => undefined),
      ),
      note(
        'operator',
        engine.operatorCommand(() => undefined),
      ),
      note(
        'own',
        engine.command(twin.sandbox.merchant, null, () => undefined),
      ),
      note('advance', advance),
      alone,
    ])
    expect(order).toHaveLength(5)
    expect(order.slice(0, 2).sort()).toEqual(['operator', 'other'])
    expect(order.indexOf('alone')).toBeLessThan(order.indexOf('own'))
  })

  test('sees no advancing clock, and the advance before it completely', async () => {
    const { twin, engine } = await prepare()
    const { merchant } = twin.sandbox
    const { advance } = await whileAdvancing(twin)
    const seen = await engine.runExclusively(() => [
      engine.time.isMoving,
      merchant.clock.target,
      merchant.clock.now,
    ])
    expect(seen).toEqual([false, null, at('2028-01-31T10:00:00Z')])
    await advance
  })

  test('is not delayed forever by successive advances', async () => {
    const { twin, engine } = await prepare()
    const { advance } = await whileAdvancing(twin, '30d')
    let isDone = false
    const alone = engine
      .runExclusively(() => undefined)
      .then(() => {
        isDone = true
      })
    await advance
    let advances = 0
    const keepAdvancing = async () => {
      while (!isDone && advances < 20) {
        await twin.advance({ by: '30d' })
        advances += 1
      }
    }
    await Promise.all([alone, keepAdvancing()])
    expect(advances).toBeLessThan(3)
  })

  test('is not delayed forever by overlapping advances of several merchants', async () => {
    // A pause, which depends on the speed of the machine, would leave time for more advances.
    const limits = { ...TIME_LIMITS, longMs: Number.POSITIVE_INFINITY }
    const { twin, engine } = await prepare({ limits })
    const clients = [twin]
    for (let n = 0; n < 2; n += 1) {
      const { secretKey } = await anotherMerchant(twin)
      clients.push(clientOf(twin.sandbox, secretKey))
    }
    for (const client of clients) await subscribe(client, { price: { recurring: { interval: 'day' } } })
    let isDone = false
    let advances = 0
    const keepAdvancing = async (client: Twin) => {
      while (!isDone && advances < 60) {
        advances += 1
        await client.advance({ by: '60d' })
      }
    }
    const streams = clients.map(keepAdvancing)
    while (!engine.time.isMoving) await turn()
    await engine.runExclusively(() => {
      isDone = true
    })
    await Promise.all(streams)
    expect(advances).toBeLessThan(15)
  })

  test('runs one at a time, in the order of the requests', async () => {
    const { engine } = await prepare()
    const order: number[] = []
    const works = Array.from({ length: 10 }, (_, n) => engine.runExclusively(() => order.push(n)))
    await Promise.all(works)
    expect(order).toEqual(Array.from({ length: 10 }, (_, n) => n))
  })

  test('lets the commands that it has held back run before the next work, those of advances too', async () => {
    const { twin, engine, order, note } = await prepare()
    const alone = (n: number) =>
      note(
        `alone ${n}`,
        engine.runExclusively(() => undefined),
      )
    const works = [1, 2, 3].map(alone)
    await Promise.all([
      note(
        'command',
        engine.command(twin.sandbox.merchant, null, () => undefined),
      ),
      note(
        'operator',
        engine.operatorCommand(() => undefined),
      ),
      note('advance', twin.advance({ by: '1d' })),
      ...works,
    ])
    expect(order).toEqual(['alone 1', 'command', 'operator', 'advance', 'alone 2', 'alone 3'])
  })

  test('that fails rejects, and commands run again', async () => {
    const { twin, engine } = await prepare()
    const failed = engine.runExclusively(() => {
      throw new Error('no')
    })
    const held = turn().then(() => twin.post('/v1/customers'))
    await expect(failed).rejects.toThrow('no')
    expect(await held).toMatchObject({ object: 'customer' })
    expect(await engine.runExclusively(() => 'again')).toBe('again')
  })

  test('sees a live clock that has caught up, with its time written', async () => {
    let wall = at('2026-01-31T10:00:00Z') * 1000
    const { twin, engine } = await prepare({ clock: 'live', wall: () => wall })
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    wall += 3 * 86_400_000 + 5_000
    const row = await engine.runExclusively(() => engine.store.clocks.main(1))
    expect(row).toMatchObject({ now: at('2026-02-03T10:00:05Z'), target: null })
    expect((await twin.get('/v1/invoices')).data).toHaveLength(4)
  })

  test('does not run in the middle of an advance that a stop interrupts', async () => {
    const { twin, engine } = await prepare()
    const { advance } = await whileAdvancing(twin, '20y')
    let hasRun = false
    const alone = engine.runExclusively(() => {
      hasRun = true
    })
    await engine.time.stop()
    await expect(alone).rejects.toMatchObject({ code: 'internal_error' })
    await advance
    expect(hasRun).toBe(false)
  })
})

describe('a replaced state', () => {
  test('is loaded again, and commands of its former merchants are rejected', async () => {
    const { twin, engine } = await prepare()
    const { merchant } = twin.sandbox
    await engine.replaceState(() => undefined)
    expect(twin.sandbox.merchant).not.toBe(merchant)
    expect(twin.sandbox.merchant.settings).toEqual(merchant.settings)
    await expect(engine.command(merchant, null, () => undefined)).rejects.toThrow(StateReplaced)
    expect(() => engine.runDueJobs(merchant)).toThrow(StateReplaced)
    await expect(engine.deleteMerchant(merchant)).rejects.toThrow(StateReplaced)
  })

  test('is unchanged when the work fails, and no replacement is reported', async () => {
    const { twin, engine } = await prepare()
    const { merchant } = twin.sandbox
    await twin.post('/v1/customers')
    let notified = 0
    engine.listen({ replaced: () => (notified += 1) })
    const failed = engine.replaceState(() =>
      engine.store.transaction(() => {
        engine.store.deleteContents()
        engine.ids.next(1, 'cus')
        throw new Error('no')
      }),
    )
    await expect(failed).rejects.toThrow('no')
    expect(notified).toBe(0)
    expect(twin.sandbox.merchant).toBe(merchant)
    const { data } = await twin.get('/v1/customers')
    const { id } = await twin.post('/v1/customers')
    expect(data).toHaveLength(1)
    expect(engine.ids.numberOf(1, 'cus', id)).toBe(2)
  })

  test('leaves no object of a failed reset in memory', async () => {
    const { twin, engine } = await prepare()
    const { merchant } = twin.sandbox
    engine.outbox.clear()
    engine.outbox.add('we_waiting', merchant)
    const failed = engine.replaceState((transact) =>
      transact(() => {
        engine.store.deleteContents()
        const made = addMerchant(engine, { name: 'Made', clock: 'live' }, FIRST_GENERATION)
        engine.outbox.add('we_made', made)
        throw new Error('no')
      }),
    )
    await expect(failed).rejects.toThrow('no')
    expect([...engine.outbox.take()]).toEqual([['we_waiting', merchant]])
    expect([...engine.merchants.values()]).toEqual([merchant])
    expect(await engine.command(merchant, null, () => merchant.presence)).toBe('present')
  })

  test('is loaded, and reported, when the work fails after its commit', async () => {
    const { twin, engine } = await prepare()
    const { merchant } = twin.sandbox
    let notified = 0
    engine.listen({ replaced: () => (notified += 1) })
    const failed = engine.replaceState((transact) => {
      transact(() => markState(engine.store))
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(notified).toBe(1)
    expect(twin.sandbox.merchant).not.toBe(merchant)
    await expect(engine.command(merchant, null, () => undefined)).rejects.toThrow(StateReplaced)
  })
})

test('commands and exclusive work are refused once the engine closes, and earlier ones are answered', async () => {
  const { twin, engine } = await prepare()
  const { merchant } = twin.sandbox
  let answered = 0
  const pipeline = async () => {
    for (; answered < 1_000; answered += 1) await engine.command(merchant, null, () => undefined)
  }
  const before = engine.operatorCommand(() => 'answered')
  const endless = pipeline()
  const closed = engine.close()
  await expect(endless).rejects.toMatchObject({ code: 'internal_error' })
  await closed
  expect(await before).toBe('answered')
  await expect(engine.runExclusively(() => undefined)).rejects.toMatchObject({ code: 'internal_error' })
  expect(answered).toBeLessThan(10)
})
