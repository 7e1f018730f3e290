import type Stripe from 'stripe'

type Method = (...args: never[]) => unknown

/** The JSON of a type of Stripe's SDK: decimals as strings, lists without methods, references as ids. */
export type Wire<T> = Plain<Folded<T>>

type Plain<T> = T extends Stripe.Decimal
  ? string
  : T extends Stripe.ApiList<infer Entry>
    ? WireList<Wire<Entry>>
    : T extends readonly (infer Entry)[]
      ? Wire<Entry>[]
      : T extends object
        ? { [Field in keyof T as T[Field] extends Method ? never : Field]: Wire<T[Field]> }
        : T

/** A field that can be expanded is an id until it is. */
type Folded<T> = string extends Extract<T, string> ? Exclude<T, { id: string } | { deleted: true }> : T

/** The JSON of a list. */
export type WireList<Entry> = {
  object: 'list'
  url: string
  has_more: boolean
  data: Entry[]
  total_count?: number
}
