import { sql } from 'kysely'
import { type Kind, kindNumber } from '../core/kinds.ts'
import { assertIntact } from './damage.ts'
import { firstKeyframeAfterUntil } from './keyframes.ts'
import { OWNER_OF_ENTRY, ownerBefore } from './ownership.ts'
import { arg, type Statements } from './statements.ts'

/** An object at an instant of its clock. */
type ObjectAtInstant = {
  readonly kind: Kind
  /** Its seq. */
  readonly object: number
  /** Unix seconds. */
  readonly instant: number
}

/** The wanted entry; seq is null if the object's first entry is later. */
type EndOfChain = { readonly seq: number | null }

/** @throws RowDamaged if the search ends before the first entry: one is missing */
function seqOf(
  { kind, object }: Omit<ObjectAtInstant, 'instant'>,
  end: EndOfChain | undefined,
): number | undefined {
  assertIntact(end, `a journal entry of ${kind} ${object} is missing`)
  return end.seq ?? undefined
}

/** Returns the seq of a movable object's newest entry up to an instant of a customer's clock. */
export function newestEntryOfOwnerAt(
  statements: Statements,
  { kind, object, instant, customer }: ObjectAtInstant & { readonly customer: string },
): number | undefined {
  const row = statements
    .named<EndOfChain>(`entry of ${kind} of customer at instant`, (db) => ({
      compile: () => {
        const number = sql.lit(kindNumber(kind))
        const keyframe = firstKeyframeAfterUntil(number, sql`object.seq`, arg('customer'))
        const isFound = sql`chain.created <= ${arg('until')} and ${OWNER_OF_ENTRY} = ${arg('customer')}`
        const owner = sql`case when journal.seq = object.newest_entry then object.customer else ${arg('customer')} end`
        return sql`with recursive chain (seq, previous, created, owner, former) as (
            select journal.seq, journal.previous, journal.created, ${owner}, ${ownerBefore(owner)}
            from ${sql.table(kind)} object
            cross join journal on journal.seq = coalesce(${keyframe}, object.newest_entry)
            where object.seq = ${arg('object')}
            union all
            select journal.seq, journal.previous, journal.created, chain.former, ${ownerBefore(sql`chain.former`)}
            from chain cross join journal on journal.seq = chain.previous where (${isFound}) is not true)
          select iif(${isFound}, seq, null) as seq from chain where ${isFound} or previous is null limit 1`.compile(
          db,
        )
      },
    }))
    .get({ object, until: instant, customer })
  return seqOf({ kind, object }, row)
}

/** Returns the seq of an object's newest entry up to an instant, for an object whose clock never goes back. */
export function newestEntryAt(
  statements: Statements,
  { kind, object, instant }: ObjectAtInstant,
): number | undefined {
  const row = statements
    .named<EndOfChain>(`entry of ${kind} at instant`, (db) => ({
      compile: () =>
        sql`with recursive chain (seq, previous, created) as (
            select journal.seq, journal.previous, journal.created from ${sql.table(kind)} object
            cross join journal on journal.seq =
              coalesce(${firstKeyframeAfterUntil(sql.lit(kindNumber(kind)), sql`object.seq`)}, object.newest_entry)
            where object.seq = ${arg('object')}
            union all
            select journal.seq, journal.previous, journal.created from chain
            cross join journal on journal.seq = chain.previous where chain.created > ${arg('until')})
          select iif(created <= ${arg('until')}, seq, null) as seq from chain
          where created <= ${arg('until')} or previous is null limit 1`.compile(db),
    }))
    .get({ object, until: instant })
  return seqOf({ kind, object }, row)
}
