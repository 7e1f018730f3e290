import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Engine } from '../../src/engine/machine/engine.ts'
import { recordLiveClocks } from '../../src/engine/machine/live-clocks.ts'
import type { MerchantState } from '../../src/engine/machine/merchant-state.ts'

test('live clocks are recorded in groups, so that the writes of others wait only for a group', async () => {
  const merchants = new Map<number, MerchantState>()
  const live = { clock: { mode: 'live', target: null } } as MerchantState
  for (let ordinal = 1; ordinal <= 120; ordinal += 1) merchants.set(ordinal, live)
  let open = 0
  let most = 0
  const record = vi.fn(async () => {
    open += 1
    most = Math.max(most, open)
    await turn()
    open -= 1
  })
  await recordLiveClocks({ merchants, record } as unknown as Engine)
  expect(record).toHaveBeenCalledTimes(120)
  expect(most).toBe(50)
})
