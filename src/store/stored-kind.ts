import type { Objects } from '../core/kinds.ts'
import type { WebhookDelivery } from '../core/webhook.ts'

/** Everything with a table of its own that requests read by id and list: the objects, and deliveries without a journal. */
export type StoredObjects = Objects & { webhook_delivery: WebhookDelivery }
export type StoredKind = keyof StoredObjects

/** The fields of an object without nested values, which are short, and some nested values. */
export type Summary<T, Nested extends keyof T = never> = {
  readonly [Field in keyof T as Exclude<T[Field], null> extends string | number | boolean
    ? Field
    : Extract<Field, Nested>]: T[Field]
}

/** The column type of a field: booleans are stored as 0 and 1, nested values and numbers with decimals as JSON text. */
type ColumnType<Value> = [Exclude<Value, null>] extends [number]
  ? 'integer' | 'json'
  : [Exclude<Value, null>] extends [string]
    ? 'text'
    : [Exclude<Value, null>] extends [boolean]
      ? 'boolean'
      : 'json'

/** The index with which a list is read if it has a condition, and further ones if given; `*` applies to every list. */
export type IndexChoice = {
  readonly condition: string
  readonly and?: readonly string[]
  readonly index: string
}

/** The table and the columns of one kind of object. */
type StoredKindOf<T> = {
  /** A column for each field of the domain object, with the same name. A missing field or a wrong type does not compile. */
  readonly columns: { readonly [Field in keyof T]-?: ColumnType<T[Field]> }
  /** Fields that the API never shows: a change of these alone does not change the public object. */
  readonly privateFields?: readonly (keyof T)[]
  /**
   * The indexes of lists, the most selective first. The first choice whose conditions a list has is taken, in the end
   * the index `<kind>_merchant`: see `indexesOf`. The planner has no statistics; it would read all rows of a merchant to
   * avoid sorting a page. Each of these indexes has its rows in the order of lists. One of all rows of a kind that can be deleted has
   * `deleted` as its last column, so that a list does not read deleted ones: it requires that condition, without which it would sort.
   */
  readonly indexes?: readonly IndexChoice[]
}

export type StoredKinds = { readonly [K in StoredKind]: StoredKindOf<StoredObjects[K]> }
