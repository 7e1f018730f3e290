import { expect, test } from 'vitest'
import { isWhole, stepsOf } from '../simulation/commands.ts'
import { Dice } from '../simulation/dice.ts'
import { playStep } from '../simulation/play.ts'
import { commandNamed, stepsOf as stripeStepsOf } from '../simulation/stripe/commands.ts'
import { Story } from '../simulation/stripe/story.ts'
import { World } from '../simulation/world.ts'
import { explainAll } from './every-object.ts'

test('every object of random merchants is explained, with its status and the time of its next job', async () => {
  const world = await World.open()
  const seen = new Set<string>()
  try {
    // Steps of the whole sandbox, such as a reset, would only remove objects.
    const steps = stepsOf(14, 240).filter(({ name }) => !isWhole(name))
    for (const [index, step] of steps.entries()) {
      await playStep(world, step)
      if (index % 40 !== 39) continue
      for (const { id } of world.accounts)
        for (const status of await explainAll((...asked) => world.operate(...asked), id)) seen.add(status)
    }
  } finally {
    await world.close()
  }
  // A seed with few statuses would find no defects.
  expect(seen.size).toBeGreaterThan(12)
})

test('so is every object of a random merchant with Stripe’s API', async () => {
  const story = await Story.open(1, { isTyped: false })
  const { id } = story.sandbox.merchant.settings
  const seen = new Set<string>()
  try {
    for (const [index, { name, dice: number }] of stripeStepsOf(1, 140).entries()) {
      const play = await commandNamed(name)(story, new Dice(number))
      if (play === null) continue
      if ('to' in play) await story.move(play.clock, play.to)
      else if ('session' in play) await story.submit(play)
      else if (play.isOperators) await story.operate(play.method, play.path, play.params)
      else await story.send(play)
      await story.newEvents()
      if (index % 40 !== 39) continue
      const operate = (method: string, path: string) => story.operate(method, path)
      const setups = await story.send({ method: 'GET', path: '/v1/setup_intents', params: { limit: 100 } })
      for (const status of await explainAll(operate, id, setups.body.data)) seen.add(status)
    }
  } finally {
    await story.sandbox.close()
  }
  expect(seen.size).toBeGreaterThan(11)
})
