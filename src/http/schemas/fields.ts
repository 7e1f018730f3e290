import * as z from 'zod'
import { type Kind, prefixOf } from '../../core/kinds.ts'
import { type Component, component, componentNamed } from './component.ts'

/** A time in Unix seconds. */
export const seconds = (text: string) => z.int().describe(inUnit(text, 'in Unix seconds'))

/** An amount in the smallest currency unit. */
export const money = (text: string) => z.int().describe(inUnit(text, 'in the smallest currency unit'))

/** Adds the unit to a description, before the first semicolon or colon. */
const inUnit = (text: string, unit: string): string => `${text.replace(/(?=[;:])|$/, `, ${unit}`)}.`

/** A string, or an id that cannot be expanded. */
export const text = (description: string) => z.string().describe(description)

export const currency = () =>
  z.string().describe('A three-letter ISO 4217 code. Any case is accepted, lowercase is shown.')

export const metadata = () =>
  z
    .record(z.string(), z.string())
    .describe(
      'Up to 50 keys and values for your own use. In an update, an empty value removes its key, and an empty string instead of the object removes all keys.',
    )

export const testClock = () =>
  z.string().nullable().describe('The test clock of the object; null for the main clock.')

export const livemode = () => z.boolean().describe('Always false: this is a sandbox.')

/** The fields of every resource. See docs/contract/requests.md#resources. */
export const common = <const Name extends string>(object: Name, prefix: string) => ({
  id: z.string().describe(`The id, which begins with ${prefix}_.`),
  object: z.literal(object).describe('The type of the object.'),
  created: seconds('The time of creation'),
  livemode: livemode(),
  merchant_id: z.string().describe('The merchant of the object.'),
})

/** The fields of every object of a kind. */
export const commonOf = <const K extends Kind>(kind: K) => common(kind, prefixOf(kind))

/**
 * The id of another object, which `expand[]` replaces with the object.
 * @param names - the possible components of the object
 */
export function reference(text: string, ...names: readonly string[]): z.ZodType<string> {
  const objects = names.map((name) => z.lazy(() => componentNamed(name).schema))
  // In TypeScript it is an id, because presenters run before expansion.
  return z.union([z.string(), ...objects]).describe(text) as unknown as z.ZodType<string>
}

/** A page of a list. See docs/contract/requests.md#lists. */
export const listOf = <Entry extends z.ZodType>(entry: Component<Entry>) =>
  component(`${entry.name}List`, () =>
    z
      .object({
        object: z.literal('list').describe('The type of the object.'),
        url: z.string().describe('The path of the list.'),
        has_more: z.boolean().describe('Whether more entries follow in the requested direction.'),
        data: z.array(entry.schema).describe('The entries.'),
        livemode: livemode(),
      })
      .describe(`A page of a list of ${entry.name} objects.`),
  )

/** The deletion stub of an object. See docs/contract/requests.md#deletion-stubs. */
export const deletedStub = <const Name extends string>(componentName: string, object: Name) =>
  component(componentName, () =>
    z
      .object({
        id: z.string().describe('The id of the deleted object.'),
        object: z.literal(object).describe('The type of the deleted object.'),
        deleted: z.literal(true).describe('Always true.'),
        livemode: livemode(),
      })
      .describe('The deletion stub of an object.'),
  )
