import * as z from 'zod'
import { MAX_FIXTURE_BYTES, MAX_FIXTURE_PARAMETERS } from '../../core/fixture-limits.ts'
import { DECLINE_CODES } from '../../core/processor.ts'
import type { CreatedObject } from '../../engine/resources/fixture-names.ts'
import { loadFixtures } from '../../engine/resources/fixtures.ts'
import { defaultMerchant } from '../../engine/resources/merchant.ts'
import { deferred } from '../deferred.ts'
import { checkFixtures } from '../fixtures/check.ts'
import { type FixturesShape, fixturesSchema } from '../schemas/fixtures.ts'
import type { AddRoute } from './services.ts'

const loadParams = deferred(() =>
  z.object({
    files: z.array(z.object({ name: z.string().min(1).max(1_000), content: z.unknown() })).min(1),
    validate_only: z.boolean().default(false),
  }),
)

export function fixtureRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'fixtures',
      summary: 'Loads fixtures files: creates all of their objects or none.',
      params: loadParams,
      body: { bytes: MAX_FIXTURE_BYTES, parameters: MAX_FIXTURE_PARAMETERS },
      returns: fixturesSchema,
      errors: {
        400: ['parameter_unknown', 'amount_too_large'],
        402: DECLINE_CODES,
        404: ['resource_missing'],
        422: ['unsupported_psp_capability'],
      },
    },
    async ({ services, sender, params: { files, validate_only } }) => {
      const { engine, keys, receiverRefusal } = services
      const plan = checkFixtures(files, { versions: engine.versions, receiverRefusal: receiverRefusal })
      const merchant = defaultMerchant(engine)
      const options = { ...sender, validateOnly: validate_only }
      const made = await loadFixtures({ engine, keys, merchant }, plan, options)
      return presentFixtures(made, validate_only)
    },
  )
}

const presentFixtures = (made: readonly CreatedObject[], validate_only: boolean): FixturesShape => ({
  object: 'fixtures',
  validate_only,
  counts: countsOf(made),
  // A validation creates no objects. Its ids are reused by the next objects.
  made: validate_only ? [] : [...made],
  livemode: false,
})

function countsOf(made: readonly CreatedObject[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { object } of made) counts[object] = (counts[object] ?? 0) + 1
  return counts
}
