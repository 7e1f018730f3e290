import { timingSafeEqual } from 'node:crypto'
import { assert, resourceMissing } from '../../core/errors.ts'
import {
  AUTHORIZATION_TRANSITIONS,
  CODE_SECONDS,
  CONSENT_SECONDS,
  type Scope,
  statusAt,
} from '../../core/oauth.ts'
import { redirectTo } from '../../core/redirect-uri.ts'
import { move } from '../../core/transitions.ts'
import type { Merchant } from '../../store/directory.ts'
import type { StoredAuthorization } from '../../store/oauth.ts'
import type { Store } from '../../store/store.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Sender } from '../machine/command-queue.ts'
import { digest } from '../machine/digest.ts'
import type { Engine } from '../machine/engine.ts'
import { randomToken } from '../machine/ids.ts'
import { type MerchantState, merchantOfGeneration } from '../machine/merchant-state.ts'
import { findApp, type OAuthApp } from './oauth-app.ts'

const RANDOM_LENGTH = 32

/** A checked authorization request; its redirect_uri is registered for the app. */
export type AuthorizationRequest = {
  readonly app: OAuthApp
  readonly redirect_uri: string
  readonly scope: Scope
  readonly state: string | null
  readonly code_challenge: string | null
}

/** A decision, and the URL that returns it to the app. */
export type DecisionResult = { readonly status: 'approved' | 'denied'; readonly redirect_to: string }

/** A decision and the merchant that makes it; an operator can deny a request that names no merchant. */
export type Decision =
  | { readonly decision: 'approve'; readonly merchant: MerchantState }
  | { readonly decision: 'deny'; readonly merchant: MerchantState | null }

/** An authorization with its current status. */
export type Authorization = StoredAuthorization

/** The secrets of the consent page: a nonce for its form, and a cookie for its browser. A decision needs both. */
export type ConsentSecrets = { readonly nonce: string; readonly cookie: string }

/**
 * Writes an authorization request within the open command. It can be decided within ten minutes.
 * @param merchant - null when the person chooses the merchant on the page
 * See docs/contract/oauth.md#authorization-requests.
 */
export function makeAuthorization(
  { store, ids, steady }: Pick<Engine, 'store' | 'ids' | 'steady'>,
  { app, ...request }: AuthorizationRequest,
  { merchant, seal }: { merchant: Merchant | null; seal: ConsentSecrets | null },
): Authorization {
  const id = ids.next(0, 'oauthz')
  const created = wallSeconds(steady)
  store.oauth.addAuthorization({
    ...request,
    id,
    app: app.id,
    merchant: merchant?.ordinal ?? null,
    generation: merchant?.generation ?? null,
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

/**
 * Writes an authorization request of a browser, and creates the secrets of its consent page. The nonce contains the generation
 * numbers of the offered merchants: see isOffered.
 * @throws ApiError resource_missing, param client_id
 */
export async function requestInBrowser(
  engine: Engine,
  asked: AuthorizationRequest,
  offered: readonly MerchantState[],
): Promise<ConsentSecrets> {
  const generations = offered.map(({ settings }) => settings.generation)
  const nonce = [...generations, randomToken(RANDOM_LENGTH)].join('_')
  const seal = { nonce, cookie: randomToken(RANDOM_LENGTH) }
  await engine.operatorCommand(() => {
    // It may have been deleted while the command waited.
    findApp(engine, asked.app.id, 'client_id')
    makeAuthorization(engine, asked, { merchant: null, seal })
    engine.store.oauthExpiry.deleteUnanswered(asked.app.id)
  })
  return seal
}

/** Finds the authorization of a consent form; undefined unless the nonce and the cookie belong together. */
export function authorizationOfConsent(
  engine: Engine,
  { nonce, cookie }: ConsentSecrets,
): Authorization | undefined {
  const row = engine.store.oauth.authorizationOfNonce(digest(nonce))
  if (!row?.cookie || !timingSafeEqual(row.cookie, digest(cookie))) return undefined
  return shown(engine, row)
}

/** Reports whether the consent page of a nonce offered a merchant, rather than an earlier or later one with the same id. */
export const isOffered = (nonce: string, { settings: { generation } }: MerchantState): boolean =>
  nonce.split('_').slice(0, -1).includes(String(generation))

/** A page of authorizations, in the order newest first. */
export type AuthorizationPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Lists authorizations with their current status, newest first; with a backward cursor oldest first.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listAuthorizations(engine: Engine, { limit, cursor }: AuthorizationPage): Authorization[] {
  const place = cursor && find(engine.store, cursor.id, cursor.param).seq
  return engine.store.oauth
    .authorizations({ limit, ...(cursor && { [cursor.isBackward ? 'above' : 'below']: place }) })
    .map((row) => shown(engine, row))
}

/** Finds an authorization by id, of any merchant. @throws ApiError resource_missing */
export const findAuthorization = (engine: Engine, id: string): Authorization =>
  shown(engine, find(engine.store, id))

/**
 * Decides an authorization request within the open command. An approval issues a code, of which only the hash is
 * stored.
 * @param given.merchant - the deciding merchant, on whose clock the code expires
 * @throws ApiError invalid_state_transition when it was decided before or has expired
 * See docs/contract/oauth.md#status.
 */
export function decide(engine: Engine, id: string, { decision, merchant }: Decision): DecisionResult {
  const { store } = engine
  const row = findAuthorization(engine, id)
  const { redirect_uri, state } = row
  const status = move(AUTHORIZATION_TRANSITIONS, row.status, decision)
  assert(status === 'approved' || status === 'denied', 'a decision approves or denies')
  const { ordinal, generation } = merchant?.settings ?? { ordinal: row.merchant, generation: row.generation }
  const decided = { ...row, status, merchant: ordinal, generation, state: null }
  if (decision === 'deny') {
    store.oauth.updateAuthorization(decided)
    return { status, redirect_to: redirectTo(redirect_uri, { error: 'access_denied', state }) }
  }
  const code = `oac_test_${randomToken(RANDOM_LENGTH)}`
  const code_expires = merchant.clock.instant + CODE_SECONDS
  store.oauth.updateAuthorization({ ...decided, code: digest(code), code_status: 'issued', code_expires })
  return { status, redirect_to: redirectTo(redirect_uri, { code, state }) }
}

/**
 * Decides in a separate command. It is a command of the merchant, because the code expires on its clock; without a merchant, of
 * the operator.
 */
export function decideAs(
  engine: Engine,
  id: string,
  given: Decision,
  sender: Sender = {},
): Promise<DecisionResult> {
  const run = () => decide(engine, id, given)
  return given.merchant
    ? engine.command(given.merchant, null, run, sender)
    : engine.operatorCommand(run, sender)
}

/**
 * Returns the merchant that the request names or that has decided it; undefined if there is none, or if the current state
 * does not contain it.
 */
export const merchantOfAuthorization = (
  engine: Engine,
  { merchant, generation }: Authorization,
): MerchantState | undefined =>
  merchant === null || generation === null
    ? undefined
    : merchantOfGeneration(engine.merchants, { merchant, generation })

/**
 * Makes requests that were created when the wall clock was ahead count as created now. Must be called within a transaction.
 * See docs/contract/clocks.md#wall-clock.
 */
export const limitRequests = ({ store, steady }: Pick<Engine, 'store' | 'steady'>): void =>
  store.oauthExpiry.limitRequests(wallSeconds(steady) + CONSENT_SECONDS)

/**
 * Marks some expired requests, so that they stay expired if the wall clock is set back while no daemon runs. Must be called within a
 * transaction.
 * @returns how many
 */
export const expireRequests = ({ store, steady }: Pick<Engine, 'store' | 'steady'>): number =>
  store.oauthExpiry.expireRequests(wallSeconds(steady), move(AUTHORIZATION_TRANSITIONS, 'pending', 'expire'))

function find(store: Store, id: string, param = 'id'): StoredAuthorization {
  const row = store.oauth.authorization(id)
  if (!row) throw resourceMissing('authorization', id, param)
  return row
}

/** Returns an authorization with its current status. If it has expired, that is stored soon: see Expiries. */
function shown(engine: Engine, row: StoredAuthorization): Authorization {
  const now = wallSeconds(engine.steady)
  const status = statusAt(row, now)
  if (status !== row.status)
    engine.expiries.write(engine.steady, { expires: row.expires, now }, () => writeExpired(engine))
  return { ...row, status }
}

async function writeExpired(engine: Engine): Promise<void> {
  while ((await engine.operatorCommand(() => expireRequests(engine))) > 0);
}
