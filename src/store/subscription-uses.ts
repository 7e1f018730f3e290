import type { Subscription } from '../core/subscription.ts'
import { arg, type Statements } from './statements.ts'

type Items = Subscription['items']
type Owner = { readonly merchant: number; readonly subscription: number }

/** The tables with one row for each price and for each item of a subscription, by which lists find the subscription. */
export const USES = [
  { table: 'price_use', column: 'price', valuesOf: (items: Items) => items.map(({ price }) => price) },
  { table: 'item_use', column: 'item', valuesOf: (items: Items) => items.map(({ id }) => id) },
] as const

/** Updates the rows by which a subscription (seq) is found. */
export function updateUses(statements: Statements, owner: Owner, before: Items, after: Items): void {
  if (before === after) return
  for (const use of USES) {
    const [old, now] = [new Set(use.valuesOf(before)), new Set(use.valuesOf(after))]
    for (const value of old) if (!now.has(value)) remove(statements, use, { ...owner, value })
    for (const value of now) if (!old.has(value)) add(statements, use, { ...owner, value })
  }
}

export type Use = (typeof USES)[number]
type Row = Owner & { readonly value: string }

function remove(statements: Statements, { table, column }: Use, row: Row): void {
  statements
    .named(`remove ${column} use`, (db) =>
      db
        .deleteFrom(table as 'price_use')
        .where('merchant', '=', arg<number>('merchant'))
        .where(column as 'price', '=', arg<string>('value'))
        .where('subscription', '=', arg<number>('subscription')),
    )
    .run(row)
}

function add(statements: Statements, { table, column }: Use, row: Row): void {
  statements
    .named(`add ${column} use`, (db) =>
      db.insertInto(table as 'price_use').values({
        merchant: arg<number>('merchant'),
        [column as 'price']: arg<string>('value'),
        subscription: arg<number>('subscription'),
      }),
    )
    .run(row)
}
