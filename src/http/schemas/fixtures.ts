import { z } from 'zod'
import { FIXTURE_KINDS } from '../../engine/fixture-names.ts'
import { component, type Shape } from './component.ts'
import { livemode, text } from './fields.ts'

export const fixturesSchema = component('Fixtures', () =>
  z
    .object({
      object: z.literal('fixtures').describe('What kind of object this is.'),
      validate_only: z.boolean().describe('Whether they were only tried, and nothing was made.'),
      counts: z.record(z.string(), z.int()).describe('How many objects of each kind they make.'),
      made: z
        .array(
          z.object({
            object: z.enum(FIXTURE_KINDS).describe('What kind of object was made.'),
            ref: text('What the files call it; null when they call it nothing.').nullable(),
            id: text('The identifier that it has got.'),
            merchant_id: text('The merchant that it belongs to; null for an app.').nullable(),
            file: text('The file that asks for it.'),
            path: text('Where in the file it stands, as in subscriptions[2].'),
            secret: text(
              "A webhook endpoint's secret, or an app's that the file does not choose: shown this once.",
            ).optional(),
          }),
        )
        .describe('What was made, in its order; nothing when they were only tried.'),
      livemode: livemode(),
    })
    .describe('What a load of fixtures made, or would make.'),
)
export type FixturesShape = Shape<typeof fixturesSchema>
