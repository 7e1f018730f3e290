import type { Selectable } from 'kysely'
import type { RetrySchedule } from '../core/dunning.ts'
import type { MailSettings } from '../core/mail.ts'
import { NO_NOTICES, type NoticeDays } from '../core/notices.ts'
import { findIndexed } from './damage.ts'
import { arg, type Statements } from './statements.ts'
import type { KeyRow, MerchantRow } from './tables.ts'

export type Merchant = Omit<Selectable<MerchantRow>, 'notices' | 'mails' | 'retry_schedule'> & {
  readonly notices: NoticeDays
  readonly mails: MailSettings
  readonly retry_schedule: RetrySchedule
}

/** Returns the row of a merchant, with the notices that are on. */
const rowOf = (merchant: Merchant) => {
  const on = Object.entries(merchant.notices).filter(([, days]) => days !== null)
  return {
    ...merchant,
    notices: JSON.stringify(Object.fromEntries(on)),
    mails: JSON.stringify(merchant.mails),
    retry_schedule: JSON.stringify(merchant.retry_schedule),
  }
}

/** The generation of the default merchant, also after a reset. */
export const FIRST_GENERATION = 1

/** Merchants, keys, counters and settings: the rows that the engine keeps in memory and writes through. */
export class Directory {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  merchants(): Merchant[] {
    return this.#statements
      .named<Selectable<MerchantRow>>('merchants', (db) =>
        db.selectFrom('merchant').selectAll().orderBy('ordinal'),
      )
      .all({})
      .map((row) => ({
        ...row,
        notices: { ...NO_NOTICES, ...JSON.parse(row.notices) },
        mails: JSON.parse(row.mails),
        retry_schedule: JSON.parse(row.retry_schedule),
      }))
  }

  addMerchant(merchant: Merchant): void {
    this.#statements
      .named('add merchant', (db) =>
        db.insertInto('merchant').values({
          ordinal: arg<number>('ordinal'),
          id: arg<string>('id'),
          name: arg<string>('name'),
          created: arg<number>('created'),
          api_version: arg<string>('api_version'),
          dunning_final_action: arg<Merchant['dunning_final_action']>('dunning_final_action'),
          notices: arg<string>('notices'),
          mails: arg<string>('mails'),
          retry_schedule: arg<string>('retry_schedule'),
          generation: arg<number>('generation'),
          dialect: arg<Merchant['dialect']>('dialect'),
        }),
      )
      .run(rowOf(merchant))
  }

  /**
   * Returns a new generation, which no other merchant of this database ever gets. An ordinal and an id can be reused
   * by another merchant after a restore or a reset.
   */
  nextGeneration(): number {
    const generation = Number(this.setting('generations') ?? FIRST_GENERATION) + 1
    this.setSetting('generations', String(generation))
    return generation
  }

  updateMerchant(merchant: Merchant): void {
    this.#statements
      .named('update merchant', (db) =>
        db
          .updateTable('merchant')
          .set({
            name: arg<string>('name'),
            api_version: arg<string>('api_version'),
            dunning_final_action: arg<Merchant['dunning_final_action']>('dunning_final_action'),
            notices: arg<string>('notices'),
            mails: arg<string>('mails'),
            retry_schedule: arg<string>('retry_schedule'),
          })
          .where('ordinal', '=', arg<number>('ordinal')),
      )
      .runOnOne(rowOf(merchant))
  }

  keys(): KeyRow[] {
    return this.#statements
      .named<KeyRow>('keys', (db) => db.selectFrom('api_key').selectAll().orderBy('id'))
      .all({})
  }

  key(id: string): KeyRow | undefined {
    return findIndexed<KeyRow>(this.#statements, 'key', 'api_key', { id })
  }

  /** Finds the key with this hash of its secret. */
  keyOfHash(hash: Buffer): KeyRow | undefined {
    return findIndexed<KeyRow>(this.#statements, 'key of hash', 'api_key', { hash })
  }

  addKey(key: KeyRow): void {
    this.#statements
      .named('add key', (db) =>
        db.insertInto('api_key').values({
          id: arg<string>('id'),
          merchant: arg<number>('merchant'),
          generation: arg<number>('generation'),
          type: arg<KeyRow['type']>('type'),
          name: arg<string | null>('name'),
          hash: arg<Buffer>('hash'),
          hint: arg<string>('hint'),
          created: arg<number>('created'),
          last_used: arg<number | null>('last_used'),
          revoked: arg<number | null>('revoked'),
        }),
      )
      .run(key)
  }

  /** Deletes the keys of all merchants except the default one. Revoked keys stay, because a revocation is permanent. */
  forgetOtherKeys(): void {
    this.#statements
      .named('forget other keys', (db) =>
        db
          .deleteFrom('api_key')
          .where('generation', '!=', arg<number>('generation'))
          .where('revoked', 'is', null),
      )
      .run({ generation: FIRST_GENERATION })
  }

  /** Revokes a key. @returns it as it is stored now */
  revokeKey(key: KeyRow, revoked: number): KeyRow {
    this.#statements
      .named('revoke key', (db) =>
        db
          .updateTable('api_key')
          .set({ revoked: arg<number>('revoked') })
          .where('id', '=', arg<string>('id')),
      )
      .runOnOne({ id: key.id, revoked })
    return { ...key, revoked }
  }

  /** Sets when a key was last used, unless it was deleted meanwhile. */
  setLastUse(id: string, last_used: number | null): void {
    this.#statements
      .named('set last use', (db) =>
        db
          .updateTable('api_key')
          .set({ last_used: arg<number | null>('last_used') })
          .where('id', '=', arg<string>('id')),
      )
      .run({ id, last_used })
  }

  counter(merchant: number, prefix: string): number {
    return (
      this.#statements
        .named<{ value: number }>('counter', (db) =>
          db
            .selectFrom('counter')
            .select('value')
            .where('merchant', '=', arg<number>('merchant'))
            .where('prefix', '=', arg<string>('prefix')),
        )
        .get({ merchant, prefix })?.value ?? 0
    )
  }

  setCounter(merchant: number, prefix: string, value: number): void {
    this.#statements
      .named('set counter', (db) =>
        db.replaceInto('counter').values({
          merchant: arg<number>('merchant'),
          prefix: arg<string>('prefix'),
          value: arg<number>('value'),
        }),
      )
      .run({ merchant, prefix, value })
  }

  setting(name: string): string | undefined {
    return this.#statements
      .named<{ value: string }>('setting', (db) =>
        db.selectFrom('setting').select('value').where('name', '=', arg<string>('name')),
      )
      .get({ name })?.value
  }

  setSetting(name: string, value: string): void {
    this.#statements
      .named('set setting', (db) =>
        db.replaceInto('setting').values({ name: arg<string>('name'), value: arg<string>('value') }),
      )
      .run({ name, value })
  }

  /** Adds up the counters of a prefix over all merchants. */
  counterSum(prefix: string): number {
    return (
      this.#statements
        .named<{ sum: number | null }>('counter sum', (db) =>
          db
            .selectFrom('counter')
            .select((eb) => eb.fn.sum<number>('value').as('sum'))
            .where('prefix', '=', arg<string>('prefix')),
        )
        .get({ prefix })?.sum ?? 0
    )
  }
}
