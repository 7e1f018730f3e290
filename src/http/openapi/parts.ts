import { isReference, type JsonSchema, nameOfRef, type Schemas } from './json-schema.ts'

/** The component that a list lists; undefined for what is no list. */
export function entryOf(name: string, schemas: Schemas): string | undefined {
  const { properties } = schemas[name] ?? {}
  const items = properties?.has_more && properties.data?.items
  return items && nameOfRef(items)
}

/** The objects that a schema names: those that a list lists, and each of those that may be chosen. */
export function objectsIn(schema: JsonSchema | undefined, schemas: Schemas): string[] {
  if (!schema || isReference(schema)) return []
  const name = nameOfRef(schema)
  if (name !== undefined) {
    const entry = entryOf(name, schemas) ?? name
    return schemas[entry]?.properties
      ? [entry]
      : (schemas[entry]?.anyOf ?? []).flatMap((option) => objectsIn(option, schemas))
  }
  const { anyOf = [], items, properties = {} } = schema
  return [...anyOf, ...(items ? [items] : []), ...Object.values(properties)].flatMap((part) =>
    objectsIn(part, schemas),
  )
}

/**
 * An object and all that it is made of, those within them too.
 * @param known - objects that are left out, with what only they are made of
 */
export function partsOf(name: string, schemas: Schemas, known = new Set<string>()): string[] {
  if (known.has(name)) return []
  known.add(name)
  const { anyOf = [], properties = {} } = schemas[name] ?? {}
  const parts = [...Object.values(properties), ...anyOf].flatMap((part) => objectsIn(part, schemas))
  return [name, ...parts.flatMap((part) => partsOf(part, schemas, known))]
}
