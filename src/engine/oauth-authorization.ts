import { timingSafeEqual } from 'node:crypto'
import { assert, resourceMissing } from '../core/errors.ts'
import {
  AUTHORIZATION_TRANSITIONS,
  CODE_SECONDS,
  CONSENT_SECONDS,
  type Scope,
  statusAt,
} from '../core/oauth.ts'
import { redirectTo } from '../core/redirect-uri.ts'
import { move } from '../core/transitions.ts'
import type { Merchant } from '../store/directory.ts'
import type { StoredAuthorization } from '../store/oauth.ts'
import type { Store } from '../store/store.ts'
import { wallSeconds } from './clock.ts'
import { digest } from './digest.ts'
import type { Engine } from './engine.ts'
import { randomToken } from './ids.ts'
import { bornAs, type MerchantState } from './merchant-state.ts'
import type { OAuthApp } from './oauth-app.ts'

const RANDOM_LENGTH = 32

/** What an app asks for: checked, and with a redirect_uri that is its own. */
export type Asked = {
  readonly app: OAuthApp
  readonly redirect_uri: string
  readonly scope: Scope
  readonly state: string | null
  readonly code_challenge: string | null
}

/** What was decided, and where the app hears of it. */
export type Decided = { readonly status: 'approved' | 'denied'; readonly redirect_to: string }

/** What is decided and who does; an operator can deny what nobody in particular was asked. */
export type Decision =
  | { readonly decision: 'approve'; readonly merchant: MerchantState }
  | { readonly decision: 'deny'; readonly merchant: MerchantState | null }

/** An authorization as it is shown: its status is that of this moment. */
export type Authorization = StoredAuthorization

/** What a page that asks is given: a nonce for its form, and a cookie for its browser. Only both together decide. */
export type Seal = { readonly nonce: string; readonly cookie: string }

/**
 * Takes down, within the command under way, what an app asks a merchant for. It waits ten minutes for a decision.
 * @param merchant - null when the page lets the person choose
 * See docs/contract/oauth.md#authorization-requests.
 */
export function makeAuthorization(
  { store, ids, steady }: Pick<Engine, 'store' | 'ids' | 'steady'>,
  { app, ...asked }: Asked,
  { merchant, seal }: { merchant: Merchant | null; seal: Seal | null },
): Authorization {
  const id = ids.next(0, 'oauthz')
  const created = wallSeconds(steady)
  store.oauth.addAuthorization({
    ...asked,
    id,
    app: app.id,
    merchant: merchant?.ordinal ?? null,
    birth: merchant?.birth ?? null,
    status: 'pending',
    created,
    expires: created + CONSENT_SECONDS,
    nonce: seal && digest(seal.nonce),
    cookie: seal && digest(seal.cookie),
    code: null,
    code_status: null,
    code_expires: null,
    revoked: null,
  })
  return find(store, id)
}

/** Takes down what an app asks for in a browser, and makes what the page needs to decide on it. */
export async function askInBrowser(engine: Engine, asked: Asked): Promise<Seal> {
  const seal = { nonce: randomToken(RANDOM_LENGTH), cookie: randomToken(RANDOM_LENGTH) }
  await engine.administer(() => makeAuthorization(engine, asked, { merchant: null, seal }))
  return seal
}

/** The authorization that a page's form is about; undefined unless form and browser belong together. */
export function sealedAuthorization(engine: Engine, { nonce, cookie }: Seal): Authorization | undefined {
  const row = engine.store.oauth.authorizationOfNonce(digest(nonce))
  if (!row?.cookie || !timingSafeEqual(row.cookie, digest(cookie))) return undefined
  return shown(engine, row)
}

/** Where a page of authorizations lies, in the order newest first. */
export type AuthorizationPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Lists authorizations as they stand now, newest first; for a backward cursor the nearest to it first.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listAuthorizations(engine: Engine, { limit, cursor }: AuthorizationPage): Authorization[] {
  const place = cursor && find(engine.store, cursor.id, cursor.param).seq
  return engine.store.oauth
    .authorizations({ limit, ...(cursor && { [cursor.isBackward ? 'above' : 'below']: place }) })
    .map((row) => shown(engine, row))
}

/** The authorization of this id, whoever asked. @throws ApiError resource_missing */
export const findAuthorization = (engine: Engine, id: string): Authorization =>
  shown(engine, find(engine.store, id))

/**
 * Decides within the command under way. What is approved becomes a code, of which only the hash is kept.
 * @param given.merchant - who decides, with the clock on which a code lives
 * @throws ApiError invalid_state_transition when it was decided before or has expired
 * See docs/contract/oauth.md#status.
 */
export function decide(
  { store, steady }: Pick<Engine, 'store' | 'steady'>,
  id: string,
  { decision, merchant }: Decision,
): Decided {
  const row = find(store, id)
  const { redirect_uri, state } = row
  const status = move(AUTHORIZATION_TRANSITIONS, statusAt(row, wallSeconds(steady)), decision)
  assert(status === 'approved' || status === 'denied', 'a decision decides')
  const { ordinal, birth } = merchant?.settings ?? { ordinal: row.merchant, birth: row.birth }
  const decided = { ...row, status, merchant: ordinal, birth, state: null }
  if (decision === 'deny') {
    store.oauth.updateAuthorization(decided)
    return { status, redirect_to: redirectTo(redirect_uri, { error: 'access_denied', state }) }
  }
  const code = `oac_test_${randomToken(RANDOM_LENGTH)}`
  const code_expires = merchant.clock.instant + CODE_SECONDS
  store.oauth.updateAuthorization({ ...decided, code: digest(code), code_status: 'issued', code_expires })
  return { status, redirect_to: redirectTo(redirect_uri, { code, state }) }
}

/** Decides as one command: of the merchant, on whose clock the code lives, or of nobody in particular. */
export function decideFor(engine: Engine, id: string, given: Decision): Promise<Decided> {
  const run = () => decide(engine, id, given)
  return given.merchant ? engine.command(given.merchant, null, run) : engine.administer(run)
}

/** The merchant that was asked or has decided; undefined while a page asks, and when it is not there now. */
export const askedMerchant = (
  engine: Engine,
  { merchant, birth }: Authorization,
): MerchantState | undefined =>
  merchant === null || birth === null ? undefined : bornAs(engine.merchants, { merchant, birth })

function find(store: Store, id: string, param = 'id'): StoredAuthorization {
  const row = store.oauth.authorization(id)
  if (!row) throw resourceMissing('authorization', id, param)
  return row
}

const shown = ({ steady }: Engine, row: StoredAuthorization): Authorization => ({
  ...row,
  status: statusAt(row, wallSeconds(steady)),
})
