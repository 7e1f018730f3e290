import { html } from 'hono/html'
import { isReference, type JsonSchema, nameOfRef, type Schemas } from '../openapi/json-schema.ts'
import { entryOf, partsOf } from '../openapi/parts.ts'
import type { Tag } from '../openapi/tags.ts'
import type { Markup } from './layout.ts'

/** All components, and the pages that explain them. */
export type Explained = { readonly schemas: Schemas; readonly tags: readonly Tag[] }

/** Lists the fields of an object or the parameters of a request, each with its type and description. */
export function fieldList(schema: JsonSchema, explained: Explained, { marksRequired = false } = {}): Markup {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isRequired = marksRequired && schema.required?.includes(name)
    return html`<div>
<dt><code>${name}</code><span class="type">${typeOf(field, explained)}${isRequired ? ', required' : ''}</span></dt>
<dd>${field.description ?? ''}${defaultOf(field)}${within(field, explained, { marksRequired })}</dd>
</div>`
  })
  return html`<dl>${fields}</dl>`
}

const defaultOf = ({ default: given }: JsonSchema): Markup | '' =>
  given === undefined || given === null
    ? ''
    : html` <span class="faint">Default: <code>${String(given)}</code>.</span>`

/** Lists the fields of a nested object, also of a nullable one or of the objects in a list. */
function within(field: JsonSchema, explained: Explained, options: { marksRequired: boolean }): Markup | '' {
  const object = [field, ...(field.anyOf ?? [])].find(({ properties }) => properties) ?? field.items
  return object?.properties ? fieldList(object, explained, options) : ''
}

/** Describes the type of a value in words, with links to the pages of components. */
export function typeOf(schema: JsonSchema, explained: Explained): Markup | string {
  if (isReference(schema)) return referenceType(schema, explained)
  if (schema.anyOf) return joined(schema.anyOf.map((option) => typeOf(option, explained)))
  const name = nameOfRef(schema)
  if (name !== undefined) return componentType(name, explained)
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum)
    return joined(schema.enum.map((value) => html`<code>${value === null ? 'null' : String(value)}</code>`))
  if (schema.items) return html`list of ${typeOf(schema.items, explained)}`
  if (typeof schema.additionalProperties === 'object') return 'pairs'
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  return types.join(' or ')
}

/** Describes an id that can be expanded to an object. */
function referenceType({ anyOf = [] }: JsonSchema, explained: Explained): Markup {
  const [name] = anyOf.flatMap((option) => nameOfRef(option) ?? [])
  const isNullable = anyOf.some(({ type }) => type === 'null')
  return html`${componentType(name ?? '', explained)} id, can be expanded${isNullable ? ', or null' : ''}`
}

/** Names a component, with a link to its explanation. A list is named after its entries. */
function componentType(name: string, explained: Explained): Markup {
  const entry = entryOf(name, explained.schemas)
  if (entry !== undefined) return html`list of ${componentType(entry, explained)}`
  const options = explained.schemas[name]?.anyOf
  if (options) return joined(options.map((option) => typeOf(option, explained)))
  const page = pageOf(name, explained)
  return page === undefined ? html`${name}` : html`<a href="${page}">${name}</a>`
}

function pageOf(name: string, explained: Explained): string | undefined {
  const { tags } = explained
  const own = tags.find(({ component }) => component === name)
  if (own) return `/docs/${own.name}`
  const whole = tags.find((tag) =>
    [...partsExplainedWith(tag.component, explained), ...tag.beside].includes(name),
  )
  return whole && `/docs/${whole.name}#${name}`
}

/** The components that one is made of, those within them too, which are explained with it unless they have a page of their own. */
export function partsExplainedWith(name: string, { schemas, tags }: Explained): string[] {
  const others = tags.map(({ component }) => component).filter((component) => component !== name)
  return partsOf(name, schemas, new Set(others)).slice(1)
}

const joined = (parts: readonly (Markup | string)[]): Markup =>
  html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`
