import type { z } from 'zod'

/** Every component that a module has named, so that they can speak of each other whatever the order they are loaded in. */
const COMPONENTS = new Map<string, Component>()

/**
 * The schema of something that the API answers, under its name in the description. It is made when it is first asked for:
 * the daemon starts without any of them.
 */
export class Component<Schema extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly #make: () => Schema
  #schema: Schema | undefined

  constructor(name: string, make: () => Schema) {
    this.name = name
    this.#make = make
    COMPONENTS.set(name, this)
  }

  get schema(): Schema {
    this.#schema ??= this.#make().meta({ id: this.name })
    return this.#schema
  }
}

/** What a component looks like to the code that answers it. */
export type Shape<Named extends Component> = z.output<Named['schema']>

/** Gives a name to the schema of something that the API answers. */
export const component = <Schema extends z.ZodType>(name: string, make: () => Schema): Component<Schema> =>
  new Component(name, make)

/** All of them, by name. */
export const components = (): readonly Component[] => [...COMPONENTS.values()]

/** The component of a name. */
export function componentNamed(name: string): Component {
  const found = COMPONENTS.get(name)
  if (!found) throw new Error(`no component is named ${name}`)
  return found
}
