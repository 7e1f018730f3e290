import { type RawBuilder, sql } from 'kysely'
import { type Kind, kindNumber } from '../core/kinds.ts'

/** Kinds whose objects can move to another customer, who may follow another clock. */
const MOVABLE_KINDS: readonly Kind[] = ['payment_method', 'payment_intent']

export const isMovable = (kind: Kind): boolean => MOVABLE_KINDS.includes(kind)

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
