import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { upcomingInSteps } from '../../src/engine/resources/upcoming.ts'
import { asOperator } from '../http/support.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'

const SENT = { collection_method: 'send_invoice', days_until_due: 30 }

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
  const { id } = twin.sandbox.merchant.settings
  await asOperator(twin)('POST', `merchants/${id}`, { notices: { invoice_upcoming: 7 } })
})
afterEach(() => twin.close())

/** Creates subscriptions whose invoices are sent, and so are not announced, and before and after them one that is charged. */
async function makeSubscriptions(sent: number): Promise<Body[]> {
  const made = []
  for (let n = 0; n < sent + 2; n += 1) {
    const given = n === 0 || n === sent + 1 ? {} : SENT
    made.push((await subscribe(twin, { ...given, trial_period_days: 100 + n })).subscription)
  }
  return made
}

const begin = (limit: number) => {
  const { engine, merchant } = twin.sandbox
  return upcomingInSteps(engine, merchant, merchant.clock, { limit })
}

test('each step of a list reads at most one subscription, however many have no notice', async () => {
  const made = await makeSubscriptions(5)
  const reads = vi.spyOn(twin.sandbox.engine.store.objects, 'get')
  const counts: number[] = []
  for (const steps = begin(2); ; reads.mockClear()) {
    const step = steps.next()
    counts.push(reads.mock.calls.filter(([kind]) => kind === 'subscription').length)
    if (!step.done) continue
    expect(step.value.map(({ kind, subscription }) => [kind, subscription])).toEqual([
      ['invoice_upcoming', made.at(0)?.id],
      ['invoice_upcoming', made.at(-1)?.id],
    ])
    break
  }
  expect(counts).toEqual([0, ...made.map(() => 1)])
})

test('a list whose last job that was read has gone in the meantime goes on after it', async () => {
  const made = await makeSubscriptions(3)
  const steps = begin(2)
  steps.next()
  await twin.delete(`/v1/subscriptions/${made.at(1)?.id}`)
  let step = steps.next()
  while (!step.done) step = steps.next()
  expect(step.value.map(({ subscription }) => subscription)).toEqual([made.at(0)?.id, made.at(-1)?.id])
})
