import { expect, test } from 'vitest'
import { type Advance, Advances } from '../../src/dashboard/advances.ts'

const BEGUN = { from: 0, target: 10, after: undefined }

test('who looks at an advance whose clock has arrived can wait for its outcome', async () => {
  const advances = new Advances()
  let arrive: (outcome: NonNullable<Advance['outcome']>) => void = () => {}
  const following = advances.follow('clk_1', BEGUN, new Promise((resolve) => (arrive = resolve)))
  const latest = advances.latest('clk_1')
  expect(latest?.outcome).toBeUndefined()
  const error = new Error('stopped')
  arrive({ error })
  await latest?.ended
  expect(latest?.outcome).toEqual({ error })
  expect(await following).toBe(latest)
})
