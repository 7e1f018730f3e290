import type * as z from 'zod'
import type { Kind } from '../../core/kinds.ts'

/** All components by name, so that they can refer to each other independent of the load order. */
const COMPONENTS = new Map<string, Component>()

/**
 * A named schema of an object that the API returns. It is built at the first use, so that it does not slow down the start.
 */
export class Component<Schema extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly #make: () => Schema
  #schema: Schema | undefined

  constructor(name: string, make: () => Schema) {
    this.name = name
    this.#make = make
  }

  get schema(): Schema {
    this.#schema ??= this.#make().meta({ id: this.name })
    return this.#schema
  }
}

/** The TypeScript type of a component. */
export type Shape<Named extends Component> = z.output<Named['schema']>

/** Defines a component, which the OpenAPI document lists. */
export function component<Schema extends z.ZodType>(name: string, make: () => Schema): Component<Schema> {
  const made = new Component(name, make)
  COMPONENTS.set(name, made)
  return made
}

/** Returns all components. */
export const components = (): readonly Component[] => [...COMPONENTS.values()]

/** Returns the component of a kind of object: `payment_method` → PaymentMethod. */
export const componentOf = (kind: Kind): Component =>
  componentNamed(kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()))

/** Returns the component with a name. */
export function componentNamed(name: string): Component {
  const found = COMPONENTS.get(name)
  if (!found) throw new Error(`there is no component named ${name}`)
  return found
}
