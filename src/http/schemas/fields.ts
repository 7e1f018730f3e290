import { z } from 'zod'
import { type Component, component, componentNamed } from './component.ts'

/** A time. */
export const seconds = (text: string) => z.int().describe(inUnit(text, 'in Unix seconds'))

/** An amount of money. */
export const money = (text: string) => z.int().describe(inUnit(text, 'in the smallest currency unit'))

/** A text with the unit behind what the value is, and before what else is said of it. */
const inUnit = (text: string, unit: string): string => `${text.replace(/(?=[;:])|$/, `, ${unit}`)}.`

/** Text, or an id that nothing can be put in place of. */
export const text = (words: string) => z.string().describe(words)

export const currency = () =>
  z.string().describe('A three-letter ISO 4217 code: any case is taken, lowercase is shown.')

export const metadata = () =>
  z
    .record(z.string(), z.string())
    .describe(
      'Up to 50 pairs of text for your own use. On an update an empty value removes its key, and an empty text in place of all removes them.',
    )

export const testClock = () =>
  z.string().nullable().describe("The test clock that it follows; null for the merchant's own clock.")

export const livemode = () =>
  z.boolean().describe('Which environment answered; this one is a sandbox, so false.')

/** What every resource carries. See docs/contract/requests.md#resources. */
export const common = <const Name extends string>(object: Name, prefix: string) => ({
  id: z.string().describe(`Its identifier, which begins with ${prefix}_.`),
  object: z.literal(object).describe('What kind of object this is.'),
  created: seconds('When it was made'),
  livemode: livemode(),
  merchant_id: z.string().describe('The merchant that it belongs to.'),
})

/**
 * The id of another object, in whose place `expand[]` puts the object itself.
 * @param names - the components that the object may be
 */
export function reference(text: string, ...names: readonly string[]): z.ZodType<string> {
  const objects = names.map((name) => z.lazy(() => componentNamed(name).schema))
  // To the code that answers it is an id: expanding comes after.
  return z.union([z.string(), ...objects]).describe(text) as unknown as z.ZodType<string>
}

/** A page of a list as it goes over the wire. See docs/contract/requests.md#lists. */
export const listOf = <Entry extends z.ZodType>(entry: Component<Entry>) =>
  component(`${entry.name}List`, () =>
    z
      .object({
        object: z.literal('list').describe('What kind of object this is.'),
        url: z.string().describe('Where the list was asked for.'),
        has_more: z.boolean().describe('Whether more entries follow in the direction that was asked for.'),
        data: z.array(entry.schema).describe('The entries.'),
        livemode: livemode(),
      })
      .describe(`A page of a list of ${entry.name} objects.`),
  )

/** What is left of a deleted object. See docs/contract/requests.md#deletion-stubs. */
export const deletedStub = <const Name extends string>(componentName: string, object: Name) =>
  component(componentName, () =>
    z
      .object({
        id: z.string().describe('The identifier that it had.'),
        object: z.literal(object).describe('What kind of object this was.'),
        deleted: z.literal(true).describe('Always true.'),
        livemode: livemode(),
      })
      .describe('What is left of a deleted object.'),
  )
