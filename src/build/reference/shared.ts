import { type Document, type Parameter, resolvedIn, routesOf } from './document.ts'

/** The parameters that lists share, in the order of the reference. */
const NAMES = ['limit', 'starting_after', 'ending_before', 'created', 'expand[]'] as const

/** Returns the shared parameters of lists, each in its most frequent form. */
export function sharedParameters(document: Document): Parameter[] {
  const all = routesOf(document).flatMap(({ operation }) =>
    operation.parameters.map((parameter) => resolvedIn(parameter, document.components.parameters)),
  )
  return NAMES.flatMap((name) => {
    const named = all.filter((parameter) => parameter.name === name)
    const count = (text: string) => named.filter((parameter) => meaningOf(parameter) === text).length
    const texts = [...new Set(named.map(meaningOf))].toSorted((left, right) => count(right) - count(left))
    return named.find((parameter) => meaningOf(parameter) === texts[0]) ?? []
  })
}

/** Returns whether a parameter equals a shared one, description included. */
export const isShared = (parameter: Parameter, shared: readonly Parameter[]): boolean =>
  shared.some((other) => meaningOf(other) === meaningOf(parameter))

const meaningOf = ({ name, description, schema, required }: Parameter): string =>
  JSON.stringify({ name, description, schema, required })
