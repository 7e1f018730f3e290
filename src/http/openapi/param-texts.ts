import { MAIL_TEXTS } from '../mail-settings.ts'
import { NOTICE_TEXTS } from '../notice-settings.ts'
import { RETRY_SCHEDULE_TEXT } from '../retry-schedule.ts'

/**
 * Descriptions of parameters that several resources share, or that belong to no kind of object: see RESOURCES for the others.
 * Other parameters have the description of the response's field with the same name. A key with a resource takes precedence over
 * the bare name.
 */
export const PARAM_TEXTS: Readonly<Record<string, string>> = {
  limit: 'The maximum number of entries.',
  starting_after: 'The id of the last entry of the previous page. The list continues after it.',
  ending_before: 'The id of the first entry of the next page. The list ends before it.',
  created: 'Only entries created at this instant, or within these bounds, in Unix seconds.',
  'created.gt': 'Only entries created after this instant.',
  'created.gte': 'Only entries created at or after this instant.',
  'created.lt': 'Only entries created before this instant.',
  'created.lte': 'Only entries created at or before this instant.',

  'billing.payload':
    'The customer and the value under the keys of the meter: by default stripe_customer_id and value, a decimal number. Other keys are allowed.',
  'billing.timestamp':
    'When the usage occurred, in Unix seconds: within the past 35 days and at most 5 minutes ahead of the clock of the customer. Default: now.',
  'billing.identifier': 'An identifier that no other event of the merchant has. Default: a generated one.',
  'billing.cancel': 'The event to cancel.',
  'billing.cancel.identifier': 'The identifier of the event.',
  'billing.type': 'Must be cancel.',
  'billing.customer': 'The customer.',
  'billing.start_time':
    'The start of the span, in Unix seconds: the start of a minute, or of an hour or day with value_grouping_window.',
  'billing.end_time': 'The end of the span, exclusive, in Unix seconds: aligned like start_time.',
  'billing.value_grouping_window':
    'hour or day: one summary for each hour or day with usage, in UTC. Default: one summary for the whole span.',

  'health.nonce': 'Random hexadecimal digits. The response proves knowledge of the admin token for them.',

  test_clock: "The id of a test clock. Default: the merchant's main clock.",
  await_webhooks:
    'Whether each step waits until the webhooks of the previous step are answered. Other requests are served meanwhile.',
  'clock.advancing':
    'Whether to list the clocks that are advancing: main clocks and test clocks, of all merchants or of one.',
  advance_id:
    'An id that you choose for this advance, up to 255 characters. POST clock/cancel with it cancels this advance only.',
  'events.webhook_endpoint': 'The endpoint to send it to, even if the endpoint does not subscribe to it.',
  'test_clocks.frozen_time': 'The time of a new clock, or the target of an advance, in Unix seconds.',
  'webhooks.url': 'The url that receives the events.',
  'webhooks.enabled_events': 'Names and globs of the events to receive. Default: all.',
  'webhooks.description': 'A description for your own use.',
  'webhooks.metadata': 'Up to 50 keys and values for your own use.',
  'webhooks.merchant':
    'The id of the merchant. Required to create an endpoint if there are several merchants. With all, retries only the deliveries of this merchant.',
  'webhooks.events': 'The ids of the events, of one merchant.',
  'webhooks.all': 'Whether to retry all pending deliveries.',
  'webhooks.id': 'The delivery to retry, or the endpoint whose deliveries to retry.',

  form: 'own shows events as paytwin’s own API does; merchant as the API of their merchant does, which can be Stripe’s, with merchant_id.',
  'events.type': 'Only events of this type. A star matches any text, as in invoice.*',
  'events.object': 'Only events of the object with this ID. Only for lists.',
  'events.types': 'Only events of these types. A star matches any text.',

  'oauth.client_id': 'The id of the app.',
  'oauth.redirect_uri':
    'The uri that receives the decision. Must equal a registered uri of the app. In the exchange of a code: the uri of the authorization request.',
  'oauth.response_type': 'Always code.',
  'oauth.scope': 'read_only or read_write. Default: read_only. A refresh can narrow the granted scope.',
  'oauth.state': 'An opaque value that is returned to the app unchanged.',
  'oauth.code_challenge': "The SHA-256 of the app's code_verifier, in base64url (PKCE).",
  'oauth.code_challenge_method': 'Always S256.',
  'oauth.code_verifier': 'The verifier of the code_challenge. Required if the authorization request had one.',
  'oauth.grant_type': 'authorization_code or refresh_token.',
  'oauth.code': 'The authorization code. Valid for five minutes, for one use.',
  'oauth.refresh_token': 'The refresh token. Valid for one use: each response has a new one.',
  'oauth.token': 'The access token or refresh token to revoke.',
  'oauth.token_type_hint': 'access_token or refresh_token. Accepted and ignored.',
  'oauth.nonce': 'The nonce in the form of the consent page.',
  'oauth.decision': 'The decision of the merchant.',
  'oauth.merchant': 'The id of the merchant.',
  'apps.name': 'The name that the consent page shows.',
  'apps.redirect_uris':
    'The allowed redirect uris: https, http on the loopback, or a private scheme with a dot.',

  to: 'The target: Unix seconds, or ISO 8601 such as 2026-02-28T10:00:00Z. Use this or by.',
  by: 'The duration: one of 90s 15m 36h 3d 2w 1mo 1y, or ISO 8601 such as P1M.',
  stop_on:
    'Event types or globs, such as invoice.payment_failed or invoice.*. The first matching event stops the advance.',
  async: 'Whether to answer at once, while the advance runs.',

  at: 'The time to show: Unix seconds, or ISO 8601 such as 2026-02-28T10:00:00Z. Default: now.',

  merchant: 'The id of the merchant. Required only if there are several merchants.',
  all: 'Whether to select all merchants.',
  'merchants.clock': 'live, or the time of a frozen clock: Unix seconds or ISO 8601.',
  'merchants.dialect':
    "The API of the merchant: paytwin, or stripe for Stripe's. It cannot be changed. Default: paytwin.",
  'merchants.name': 'The name.',
  'mail.merchant': 'Only mail of this merchant. Default: of all merchants.',
  'mail.kind': 'Only mail of this kind.',
  'mail.to': 'Only mail to this address.',
  'search.kind': 'The kind of the objects.',
  'search.query':
    'An id, a part of a name or email address of a customer, or the number of an invoice. Several words must all occur.',
  'search.status': 'Only subscriptions or invoices with this status, as for their lists.',
  'requests.ignored_params': 'Whether to select only requests with ignored parameters.',
  'requests.object':
    'Only requests whose path or query names this ID, or that caused one of the newest 100 events of the object.',
  'merchants.dunning_final_action':
    'The action on a subscription after the last failed payment retry. Default for a new merchant: cancel.',
  'merchants.retry_schedule': `${RETRY_SCHEDULE_TEXT} Default for a new merchant: 1, 3, 5 and 7.`,
  'merchants.mails':
    'Which mail customers get. Only with the dialect stripe. Default for a new merchant: only invoice.',
  ...Object.fromEntries(Object.entries(MAIL_TEXTS).map(([name, text]) => [`merchants.mails.${name}`, text])),
  'merchants.notices':
    'When notices are emitted. Default for a new merchant: no notices; with the dialect stripe invoice_upcoming 7 and trial_will_end 3.',
  ...Object.fromEntries(
    Object.entries(NOTICE_TEXTS).map(([name, text]) => [`merchants.notices.${name}`, text]),
  ),
  'snapshots.name':
    'The name: a letter or digit, then up to 63 more letters, digits, dots, underscores or hyphens.',
  'keys.publishable': 'Whether to create a publishable key, for browsers.',
  'merchants.secret_key':
    'Its first key, of your choice: sk_test_ or rk_test_ and 1 to 200 letters, digits, _ or -.',
  'keys.secret': 'A key of your choice: sk_test_, rk_test_ or pk_test_ and 1 to 200 letters, digits, _ or -.',
  'requests.merchant':
    'Only requests of this merchant. Default: all requests, unauthenticated ones included.',
  'fixtures.files':
    'The files. Their objects can refer to each other. At most 10,000 objects, 1,000 files and 4 MiB in total.',
  'fixtures.files.name': 'The name of the file in error messages.',
  'fixtures.files.content': 'The content of the file. Its JSON Schema is fixtures/schema.json.',
  'dashboard.only_this_user':
    'Whether only processes of the user who sends this request can open the link. Linux only.',
  'fixtures.validate_only': 'Whether to check the files without creating objects.',
  'faults.kind': "The kind of fault. 'paytwin faults add --help' explains each kind.",
  'faults.count': 'How many times the fault applies. Default: no limit.',
  'faults.route':
    "A glob of the affected routes, such as 'POST /v1/customers' or '/v1/prices*'. Default: all. For webhook_failure, a glob of the endpoint's url.",
  'faults.merchant': 'The affected merchant. Default: all.',
  'faults.ms': 'The delay of a latency in milliseconds. Default: 1000.',
}

/** Descriptions of query parameters whose name has another meaning in a body. */
export const QUERY_TEXTS: Readonly<Record<string, string>> = {
  merchant: 'Only entries of this merchant. Default: all merchants.',
  'webhooks.merchant': 'The id of the merchant. Required only if there are several merchants.',
}
