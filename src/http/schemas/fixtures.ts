import * as z from 'zod'
import { FIXTURE_KINDS } from '../../engine/resources/fixture-names.ts'
import { component, type Shape } from './component.ts'
import { livemode, text } from './fields.ts'

export const fixturesSchema = component('Fixtures', () =>
  z
    .object({
      object: z.literal('fixtures').describe('The type of the object.'),
      validate_only: z.boolean().describe('Whether the files were only checked.'),
      counts: z.record(z.string(), z.int()).describe('The number of objects, by kind.'),
      made: z
        .array(
          z.object({
            object: z.enum(FIXTURE_KINDS).describe('The type of the object.'),
            ref: text('The ref in the files; null if it has none.').nullable(),
            id: text('The id of the object.'),
            merchant_id: text('The merchant of the object; null for an app.').nullable(),
            file: text('The name of the file.'),
            path: text('The path in the file, such as subscriptions[2].'),
            secret: text(
              'The secret of a webhook endpoint, or the generated secret of an app. Shown only in this response.',
            ).optional(),
          }),
        )
        .describe('The created objects, in order; empty if the files were only checked.'),
      livemode: livemode(),
    })
    .describe('The objects that loading fixtures created, or would create.'),
)
export type FixturesShape = Shape<typeof fixturesSchema>
