import { afterEach, describe, expect, test, vi } from 'vitest'
import { write } from '../commands.ts'
import { read, stepsOf } from './commands.ts'
import { runThoroughly } from './run.ts'

test('a story of a merchant with Stripe’s API has no failure, and is the same at every pace', async () => {
  const { failure, lines, renewals, events } = await runThoroughly(stepsOf(16, 80), { seed: 16 })
  expect(failure?.message).toBeUndefined()
  // A seed with few events would find no defects.
  expect(renewals).toBeGreaterThan(5)
  expect(events).toBeGreaterThan(150)
  expect(lines.filter((line) => /^submit checkout: .* → complete$/.test(line))).not.toEqual([])
})

test('a story can be formatted and parsed again', () => {
  expect(read(write(stepsOf(1, 100)))).toEqual(stepsOf(1, 100))
})

/** Realistic defects: the replaced function of a module, and the kind of failure that reveals it. */
const DEFECTS = [
  {
    what: 'an event without a name that Stripe knows',
    path: '../../../src/core/stripe-event-names.ts',
    replace: () => ({ stripeNameOf: () => 'subscription.renewed' }),
    kind: 'events',
  },
  {
    what: 'an invoice with a wrong subtotal',
    path: '../../../src/http/stripe/present/invoice.ts',
    replace: ({ presentInvoice }: Record<string, (...given: unknown[]) => object>) => ({
      presentInvoice: (...given: unknown[]) => ({ ...presentInvoice?.(...given), subtotal: 1 }),
    }),
    kind: 'consistency',
  },
] as const

describe('a defect of the presenters is found:', () => {
  afterEach(() => {
    for (const { path } of DEFECTS) vi.doUnmock(path)
    vi.resetModules()
  })

  test.each(DEFECTS)('$what', async ({ path, replace, kind }) => {
    vi.resetModules()
    vi.doMock(path, async (original) => {
      const real = (await original()) as Record<string, (...given: unknown[]) => object>
      return { ...real, ...replace(real) }
    })
    const { run } = await import('./run.ts')
    expect((await run(stepsOf(3, 20), { seed: 3 })).failure?.kind).toBe(kind)
  })
})
