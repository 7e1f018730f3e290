import { isReference, type JsonSchema, nameOfRef, type Schemas } from './json-schema.ts'

/** Returns the component of a list's entries; undefined if the component is not a list. */
export function entryOf(name: string, schemas: Schemas): string | undefined {
  const { properties } = schemas[name] ?? {}
  const items = properties?.has_more && properties.data?.items
  return items && nameOfRef(items)
}

/** Returns the objects that a schema names: the entries of a list, and every option of a union. */
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
 * Returns an object and its nested objects, at any depth.
 * @param known - objects to leave out, together with their nested objects
 */
export function partsOf(name: string, schemas: Schemas, known = new Set<string>()): string[] {
  if (known.has(name)) return []
  known.add(name)
  const { anyOf = [], properties = {} } = schemas[name] ?? {}
  const parts = [...Object.values(properties), ...anyOf].flatMap((part) => objectsIn(part, schemas))
  return [name, ...parts.flatMap((part) => partsOf(part, schemas, known))]
}
