import { type RawBuilder, sql } from 'kysely'
import { type Kind, kindNumber } from '../core/kinds.ts'
import { arg, type Statements } from './statements.ts'

/** Kinds whose objects can move to another customer, who may follow another clock. */
const MOVABLE_KINDS = ['payment_method', 'payment_intent'] as const

type MovableKind = (typeof MOVABLE_KINDS)[number]

export const isMovable = (kind: Kind): kind is MovableKind => MOVABLE_KINDS.some((each) => each === kind)

/** SQL: the kind numbers of movable objects, for use after `in`. */
export const MOVABLE = sql.raw(`(${MOVABLE_KINDS.map(kindNumber).join(', ')})`)

/** SQL: the customer of an object before the entry of `journal`, given the customer after the entry. */
export const ownerBefore = (after: RawBuilder<unknown>) => sql`
  case when journal.kind in ${MOVABLE} and json_type(journal.replaced, '$.customer') is not null
  then json_extract(journal.replaced, '$.customer') else ${after} end`

/**
 * SQL: the customer on whose clock the entry of `chain` happened: the owner after the entry, or else the customer that the
 * object was detached from. `chain` has these as `owner` and `former`.
 */
export const OWNER_OF_ENTRY = sql`coalesce(chain.owner, chain.former)`

type Owned = { readonly customer: string | null }

/**
 * Records from whom an object moves. An index of the journal could answer that too, but it would need an expression, with which SQLite
 * takes several times as long to add entries.
 * @param moved.object - its seq
 */
export function addFormerOwner(
  statements: Statements,
  moved: { readonly merchant: number; readonly kind: MovableKind; readonly object: number },
  before: Owned | undefined,
  after: Owned,
): void {
  if (!before?.customer || before.customer === after.customer) return
  statements
    .named('add former owner', (db) =>
      db
        .insertInto('former_owner')
        .orIgnore()
        .values({
          merchant: arg<number>('merchant'),
          customer: arg<string>('customer'),
          kind: arg<number>('kind'),
          object: arg<number>('object'),
        }),
    )
    .run({ ...moved, kind: kindNumber(moved.kind), customer: before.customer })
}

/** SQL: the seqs of the objects of a kind that moved from the customer `id`. */
export const movedFromCustomer = (kind: MovableKind) => sql`
  select object from former_owner where merchant = (select merchant from customer where id = ${arg('id')})
  and customer = ${arg('id')} and kind = ${sql.raw(String(kindNumber(kind)))}`
