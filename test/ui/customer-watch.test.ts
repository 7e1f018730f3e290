import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { Unreachable } from '../../src/client/errors.ts'
import type { EventPage } from '../../src/client/params.ts'
import type { Event } from '../../src/client/types.ts'
import { CustomerWatch } from '../../src/ui/customer-watch.ts'
import type { Customers } from '../../src/ui/customers.ts'
import { sampleEvent, sampleEvents } from './samples.ts'

/** A daemon with events of customers, newest first, and a watch whose pauses end when the test says so. */
function watching(...events: Event[]) {
  const asked: EventPage[] = []
  let failure: Error | undefined
  const client: Pick<Client, 'events'> = {
    events: async (page) => {
      asked.push(page)
      if (failure) throw failure
      const { limit = 0, starting_after } = page
      const start = events.findIndex(({ id }) => id === starting_after) + 1
      const data = events.slice(start, start + limit)
      return { object: 'list', url: '', data, has_more: start + limit < events.length, livemode: false }
    },
  }
  const known = new Map<string, unknown>()
  const failures: unknown[] = []
  let endPause: () => void = () => undefined
  const watch = new CustomerWatch({
    client,
    merchant: 'mer_1',
    signal: new AbortController().signal,
    isKnown: (id) => known.has(id),
    onCustomers: (customers: Customers) => {
      for (const [id, person] of customers) known.set(id, person)
    },
    failed: (error) => failures.push(error),
    timing: {
      now: () => 0,
      later: (work) => {
        endPause = work
        return () => undefined
      },
    },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    want: async (...customers: string[]) => {
      watch.want(
        customers.map((customer, n) =>
          sampleEvent(n, { type: 'invoice.paid', object: 'invoice', id: `in_${n}`, customer }),
        ),
      )
      await settled()
    },
    endPause: async () => {
      endPause()
      await settled()
    },
    fail: (error: Error | undefined) => {
      failure = error
    },
    watch,
    asked,
    known,
    failures,
  }
}

const named = (n: number, name: string) => sampleEvent(n, { id: 'cus_1', name, email: null })

test('names are read from events of customers, of which the newest counts', async () => {
  const { want, asked, known } = watching(named(3, 'Ada Byron'), named(2, 'Ada'))
  await want('cus_1')
  expect(known).toEqual(new Map([['cus_1', { name: 'Ada Byron', email: null }]]))
  expect(asked).toEqual([{ merchant: 'mer_1', types: ['customer.*'], limit: 100, starting_after: undefined }])
})

test('reading goes on page by page until all names are found', async () => {
  const { want, asked, known } = watching(...sampleEvents(250).reverse())
  await want('cus_120')
  expect(asked.map(({ starting_after }) => starting_after)).toEqual([undefined, 'evt_151'])
  expect(known.size).toBe(200)
})

test('known customers, and those that no event names, are not searched for again', async () => {
  const { want, endPause, asked, known, watch } = watching(...sampleEvents(3))
  await want('cus_2', 'cus_unknown')
  await endPause()
  await want('cus_2', 'cus_3', 'cus_unknown')
  expect({ requests: asked.length, known: known.size }).toEqual({ requests: 1, known: 3 })
  watch.forget()
  await want('cus_unknown')
  expect(asked).toHaveLength(2)
})

test('customers that are mentioned during a pause are searched for after it', async () => {
  const { want, endPause, asked } = watching(...sampleEvents(150).reverse())
  await want('cus_150')
  await want('cus_10')
  expect(asked).toHaveLength(1)
  await endPause()
  expect(asked).toHaveLength(3)
})

test('while the daemon is away nothing is found, and later it is searched for again', async () => {
  const { want, endPause, fail, known, failures } = watching(...sampleEvents(3))
  fail(new Unreachable({ url: 'http://127.0.0.1:1', message: 'ECONNREFUSED', isConnected: false }))
  await want('cus_1')
  fail(undefined)
  await endPause()
  await want('cus_1')
  expect({ known: known.size, failures }).toEqual({ known: 3, failures: [] })
})

test('an internal error is reported', async () => {
  const { watch, failures } = watching()
  watch.want([{ object: 'event' } as Event])
  expect(failures).toEqual([expect.any(TypeError)])
})
