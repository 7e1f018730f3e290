import { allPages, deleteJson, getJson, postJson, type Query } from './admin-requests.ts'
import {
  type EventFilter,
  eventQuery,
  followEvents,
  positionAfterNewest,
  type StreamStart,
} from './event-stream.ts'
import type { Following } from './live.ts'
import type {
  AdvanceWaits,
  DeliveriesToRetry,
  EventPage,
  FixturesToLoad,
  Limited,
  MerchantUpdate,
  NewFault,
  NewKey,
  NewMerchant,
  NewWebhook,
  OfMerchant,
  OneClock,
  PageAfter,
} from './params.ts'
import { followRequests, type RequestsWanted } from './request-stream.ts'
import { type StoppingDaemon, shutDown } from './shutdown.ts'
import type { Address } from './transport.ts'
import type {
  AdvanceTarget,
  Authorization,
  AuthorizationDecision,
  Clock,
  ClockScope,
  CustomerTimeline,
  Deleted,
  Event,
  Fault,
  Fixtures,
  InvoiceTimeline,
  Key,
  List,
  LoggedRequest,
  Merchant,
  OAuthApp,
  RequestDetails,
  Snapshot,
  Status,
  SubscriptionTimeline,
  Summary,
  Triggered,
  Upcoming,
  WebhookDelivery,
  WebhookEndpoint,
} from './types.ts'

/**
 * Calls the admin API of one daemon. Methods return the objects of the API unchanged.
 * Every method throws Refused if the daemon responds with an error, and Unreachable if no daemon answers.
 * See docs/contract/operator.md#admin-api.
 */
export class Client {
  address: Address
  readonly updateAddress: () => void

  /** @param afterRestart - returns the present address, for streams; undefined if none is known */
  constructor(address: Address, afterRestart: () => Address | undefined = () => undefined) {
    this.address = address
    this.updateAddress = () => {
      this.address = afterRestart() ?? this.address
    }
  }

  status(): Promise<Status> {
    return this.#get('status')
  }

  /** Shuts the daemon down. Resolves when its database is closed. */
  shutDown(): Promise<StoppingDaemon> {
    return shutDown(this.address)
  }

  createKey(given: NewKey): Promise<Key> {
    return this.#post('keys', given)
  }

  keys(): Promise<List<Key>> {
    return allPages((starting_after) => this.#get('keys', { limit: 100, starting_after }))
  }

  revokeKey(id: string): Promise<Key> {
    return this.#post(`keys/${encodeURIComponent(id)}/revoke`)
  }

  createMerchant(given: NewMerchant): Promise<Merchant> {
    return this.#post('merchants', given)
  }

  merchants(): Promise<List<Merchant>> {
    return this.#get('merchants')
  }

  updateMerchant(id: string, change: MerchantUpdate): Promise<Merchant> {
    return this.#post(`merchants/${encodeURIComponent(id)}`, change)
  }

  deleteMerchant(id: string): Promise<Deleted> {
    return this.#delete(`merchants/${encodeURIComponent(id)}`)
  }

  clocks({ merchant, test_clock }: OneClock = {}): Promise<List<Clock>> {
    return this.#get('clock', { merchant, test_clock })
  }

  /** Advances clocks. Resolves at the end, without a time limit. Aborting the signal stops the wait, not the advance. */
  advanceClocks(
    scope: ClockScope,
    target: AdvanceTarget,
    { signal, ...options }: AdvanceWaits & { readonly signal?: AbortSignal } = {},
  ): Promise<List<Clock & { readonly summary: Summary }>> {
    return this.#post('clock/advance', { ...scope, ...target, ...options }, signal)
  }

  /** Stops a running advance after its current batch. */
  cancelAdvances(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/cancel', scope)
  }

  /** Cancels one advance, also while it waits. Throws Refused, resource_missing, when it has not arrived yet or has ended. */
  cancelAdvance(advance_id: string): Promise<List<Clock>> {
    return this.#post('clock/cancel', { advance_id })
  }

  freezeClocks(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/freeze', scope)
  }

  unfreezeClocks(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/unfreeze', scope)
  }

  upcoming(query: OneClock & PageAfter): Promise<List<Upcoming>> {
    return this.#get('upcoming', query)
  }

  events({ limit, starting_after, ending_before, ...wanted }: EventPage): Promise<List<Event>> {
    return this.#get('events', { limit, starting_after, ending_before }, eventQuery(wanted))
  }

  event(id: string): Promise<Event> {
    return this.#get(`events/${encodeURIComponent(id)}`, { form: 'merchant' })
  }

  customer(id: string, query: { at?: string | undefined } = {}): Promise<CustomerTimeline> {
    return this.#get(`customers/${encodeURIComponent(id)}`, query)
  }

  subscription(id: string, query: { at?: string | undefined } = {}): Promise<SubscriptionTimeline> {
    return this.#get(`subscriptions/${encodeURIComponent(id)}`, query)
  }

  invoice(id: string, query: { at?: string | undefined } = {}): Promise<InvoiceTimeline> {
    return this.#get(`invoices/${encodeURIComponent(id)}`, query)
  }

  /** Streams events as they are emitted: see the function followEvents. */
  followEvents(beginning: StreamStart, options: Following): AsyncGenerator<Event, void, undefined> {
    return followEvents(this, beginning, options)
  }

  positionAfterNewest(wanted: EventFilter): Promise<StreamStart> {
    return positionAfterNewest(this, wanted)
  }

  /** Saves a snapshot. Replaces an existing one with the same name. */
  saveSnapshot(name: string): Promise<Snapshot> {
    return this.#post('snapshots', { name })
  }

  snapshots(): Promise<List<Snapshot>> {
    return this.#get('snapshots')
  }

  restoreSnapshot(name: string): Promise<Snapshot> {
    return this.#post(`snapshots/${encodeURIComponent(name)}/restore`)
  }

  deleteSnapshot(name: string): Promise<Deleted> {
    return this.#delete(`snapshots/${encodeURIComponent(name)}`)
  }

  /** Resets the data to the state of the first start. */
  reset(): Promise<Status> {
    return this.#post('reset')
  }

  createWebhook(given: NewWebhook): Promise<WebhookEndpoint> {
    return this.#post('webhooks', given)
  }

  webhooks(query: OfMerchant & PageAfter): Promise<List<WebhookEndpoint>> {
    return this.#get('webhooks', query)
  }

  deleteWebhook(id: string): Promise<Deleted> {
    return this.#delete(`webhooks/${encodeURIComponent(id)}`)
  }

  webhookDeliveries(id: string, query: PageAfter): Promise<List<WebhookDelivery>> {
    return this.#get(`webhooks/${encodeURIComponent(id)}/deliveries`, query)
  }

  /** Retries pending deliveries now: one, those of an endpoint, or all. */
  retryWebhooks(which: DeliveriesToRetry): Promise<List<WebhookDelivery>> {
    return this.#post('webhooks/retry', which)
  }

  resendEvent(
    id: string,
    given: { webhook_endpoint?: string | undefined } = {},
  ): Promise<List<WebhookDelivery>> {
    return this.#post(`events/${encodeURIComponent(id)}/resend`, given)
  }

  addFault(given: NewFault): Promise<Fault> {
    return this.#post('faults', given)
  }

  faults(): Promise<List<Fault>> {
    return this.#get('faults')
  }

  clearFaults(): Promise<List<Fault>> {
    return this.#delete('faults')
  }

  clearFault(id: string): Promise<Deleted> {
    return this.#delete(`faults/${encodeURIComponent(id)}`)
  }

  requests({ ignored_params, ...query }: RequestsWanted & Limited): Promise<List<LoggedRequest>> {
    return this.#get('requests', { ...query, ...(ignored_params && { ignored_params: 'true' }) })
  }

  request(id: string): Promise<RequestDetails> {
    return this.#get(`requests/${encodeURIComponent(id)}`)
  }

  followRequests(wanted: RequestsWanted, following: Following): AsyncGenerator<LoggedRequest> {
    return followRequests(this, wanted, following)
  }

  trigger(given: OfMerchant & { type: string }): Promise<Triggered> {
    return this.#post('trigger', { ...given, form: 'merchant' })
  }

  /** Loads fixtures, all of them or none. With validate_only, checks them and loads nothing. */
  loadFixtures(given: FixturesToLoad): Promise<Fixtures> {
    return this.#post('fixtures', given)
  }

  createApp(given: { name: string; redirect_uris: readonly string[] }): Promise<OAuthApp> {
    return this.#post('apps', given)
  }

  apps(): Promise<List<OAuthApp>> {
    return this.#get('apps')
  }

  rotateAppSecret(id: string): Promise<OAuthApp> {
    return this.#post(`apps/${encodeURIComponent(id)}/rotate_secret`)
  }

  deleteApp(id: string): Promise<Deleted> {
    return this.#delete(`apps/${encodeURIComponent(id)}`)
  }

  authorizations(query: Limited): Promise<List<Authorization>> {
    return this.#get('authorizations', query)
  }

  approveAuthorization(id: string, on: OfMerchant): Promise<AuthorizationDecision> {
    return this.#post(`authorizations/${encodeURIComponent(id)}/approve`, on)
  }

  denyAuthorization(id: string, on: OfMerchant): Promise<AuthorizationDecision> {
    return this.#post(`authorizations/${encodeURIComponent(id)}/deny`, on)
  }

  #get<ResponseBody>(path: string, query?: Query, search?: URLSearchParams): Promise<ResponseBody> {
    return getJson(this.address, path, query, search)
  }

  #post<ResponseBody>(path: string, body?: object, signal?: AbortSignal): Promise<ResponseBody> {
    return postJson(this.address, path, { body, signal })
  }

  #delete<ResponseBody>(path: string): Promise<ResponseBody> {
    return deleteJson(this.address, path)
  }
}
