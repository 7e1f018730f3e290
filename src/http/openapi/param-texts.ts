/**
 * What parameters mean that are not simply fields of what is answered; those are explained as the field is. A name with a
 * resource before it goes before the bare name.
 */
export const PARAM_TEXTS: Readonly<Record<string, string>> = {
  limit: 'How many entries to answer at most.',
  starting_after: 'The id of the entry after which to go on: the last one of the page before.',
  ending_before: 'The id of the entry before which to go back: the first one of the page after.',
  created: 'Only those made at this instant, or within these bounds, in Unix seconds.',
  'created.gt': 'Only those made after this instant.',
  'created.gte': 'Only those made at this instant or after it.',
  'created.lt': 'Only those made before this instant.',
  'created.lte': 'Only those made at this instant or before it.',

  'health.nonce': 'Hexadecimal digits that nobody has used before, to be proved with.',

  test_clock: "The test clock that is meant, by its id; the merchant's own clock unless given.",
  await_webhooks:
    'Whether each step waits until the webhooks of the one before were answered; meanwhile requests are let in.',
  'events.webhook_endpoint': 'The endpoint to post it to, whether that wants it or not.',
  'webhook_endpoints.disabled': 'Whether events stop going there; false lets them go there again.',
  'test_clocks.frozen_time': 'Where a new one stands, or where an advance leads, in Unix seconds.',
  'customers.test_clock': "The test clock that it follows, by its id; the merchant's own clock unless given.",
  'webhooks.url': 'Where events are posted to.',
  'webhooks.enabled_events': 'Names and globs of the events that go there; all unless given.',
  'webhooks.description': 'Words for your own use.',
  'webhooks.metadata': 'Up to 50 pairs of text for your own use.',
  'webhooks.merchant':
    'The id of the merchant that is meant. To create an endpoint it is not needed while there is only one; to try all again it says whose.',
  'webhooks.all': 'Whether to try again all deliveries that wait.',
  'webhooks.id': 'The delivery to try again, or the endpoint of which to try all.',

  'payment_methods.customer': 'The customer to attach it to.',
  'payment_methods.card': 'A test card; required when the type is card.',
  'payment_methods.card.number': 'The full number of a test card, as 4242424242424242. Any other is refused.',
  'payment_methods.card.cvc': 'Taken and forgotten: the number alone decides how the card behaves.',
  'payment_methods.outcomes':
    'What the processor answers, one entry for each attempt: succeed, or decline: and a code or decline_code, as in decline:insufficient_funds.',
  'payment_methods.then': 'What it answers when the outcomes have been used up.',

  'products.active': 'Whether it is on offer: true for a new one unless given.',
  'prices.active': 'Whether new subscriptions may use it: true for a new one unless given.',
  'prices.product': 'What it is the price of.',
  'prices.recurring': 'How often it is billed; required when the type is recurring.',
  'prices.lookup_keys': 'Only those whose lookup_key is one of these.',
  'prices.type': 'Whether it is billed once or again and again; recurring when recurring is given.',

  'subscriptions.default_payment_method':
    'What its invoices are charged to; a test id is attached first. A new one needs it unless there is a trial or invoices are sent.',
  'subscriptions.items': 'What it bills, at most 20 prices of one currency and interval.',
  'subscriptions.items.price': 'A recurring price.',
  'subscriptions.items.quantity': 'How many units.',
  'subscriptions.items.metadata': 'Pairs of text for your own use.',
  'subscriptions.items.id': 'The item to change; without it one is added.',
  'subscriptions.items.deleted': 'Whether to remove the item.',
  'subscriptions.payment_behavior':
    'What happens when the first payment fails: the subscription is incomplete, or (error_if_incomplete) nothing is written.',
  'subscriptions.days_until_due': 'Days between a sent invoice and its due date; 30 unless given.',
  'subscriptions.trial_period_days': 'How long its trial lasts. Give this or trial_end.',
  'subscriptions.trial_end': 'When its trial ends, in Unix seconds; now for no trial, or to end one.',
  'subscriptions.proration_behavior': 'Only none: nothing is prorated.',
  'subscriptions.status':
    'Only those of this status; all for every one, ended for those that will never bill again.',
  'subscriptions.price': 'Only those that bill this price.',
  'subscriptions.cancel_at_period_end': 'Whether it ends with its current period.',

  'invoices.payment_method': 'What to charge this time, instead of what it would be charged to.',
  'invoices.days_until_due': 'Days between finalizing a sent invoice and its due date; 30 unless given.',
  'invoices.subscription': 'Whose next invoice to show.',
  'invoices.currency': 'Needed only while no item waits that says it.',
  'invoiceitems.invoice':
    'A draft of the same customer and currency to add it to; without it the next manual invoice bills it.',
  'invoiceitems.amount':
    'What one unit costs, in the smallest currency unit. A new item needs this and a currency, or a price.',
  'invoiceitems.price': 'A one-time price, in place of amount and currency.',

  'payment_intents.customer': 'Who pays.',
  'payment_intents.payment_method': 'What is charged when it is confirmed; a test id will do.',
  'payment_intents.confirm': 'Whether to confirm it at once.',
  'payment_intents.client_secret': 'The client_secret of the intent; required with a publishable key.',
  'payment_intents.outcome': 'Whether the customer does it well.',
  'payment_intents.status': 'Not to be set: named here only to be refused.',

  'refunds.charge': 'What to give back. Required unless payment_intent is given.',
  'refunds.payment_intent': 'The intent whose charge to give back.',
  'refunds.amount': 'How much to give back, in the smallest currency unit; all that is left unless given.',

  'events.type': 'Only events of this type; stars stand for anything, as in invoice.*',
  'events.types': 'Only events of these types; stars stand for anything.',

  'oauth.client_id': 'The app that asks.',
  'oauth.redirect_uri':
    'Where the app hears of the decision: one of those that it was registered with, letter by letter. In exchange for a code: the same one as when the code was asked for.',
  'oauth.response_type': 'Always code.',
  'oauth.scope':
    'read_only or read_write; read_only unless given. On a refresh it may be less than was granted.',
  'oauth.state': 'What the app wants back with the answer, as it is.',
  'oauth.code_challenge': 'The SHA-256 of a verifier that the app keeps, in base64url (PKCE).',
  'oauth.code_challenge_method': 'Always S256.',
  'oauth.code_verifier': 'The verifier behind the code_challenge; required when there was one.',
  'oauth.grant_type': 'authorization_code or refresh_token.',
  'oauth.code': 'The code that the app was given; it lives five minutes and is used once.',
  'oauth.refresh_token': 'The refresh token; it is used once, for a new one comes with each answer.',
  'oauth.token': 'The access or refresh token to revoke.',
  'oauth.token_type_hint': 'access_token or refresh_token; not needed.',
  'oauth.nonce': 'What the page gave its form, for one decision.',
  'oauth.decision': 'What was decided.',
  'oauth.merchant': 'On whose behalf.',
  'apps.name': 'What merchants are told that it is called.',
  'apps.redirect_uris':
    'Where its merchants may be sent back to: https, http on the loopback, or a private scheme with a dot.',

  to: 'Where to go: Unix seconds, or ISO 8601 as in 2026-02-28T10:00:00Z. Give this or by.',
  by: 'How far to go: one of 90s 15m 36h 3d 2w 1mo 1y, or ISO 8601 as in P1M.',
  stop_on:
    'Types of events, as in invoice.payment_failed or invoice.*: the first such event ends the advance.',
  async: 'Whether to answer at once, while time moves.',

  at: 'The instant as of which to show it: Unix seconds, or ISO 8601 as in 2026-02-28T10:00:00Z. Now unless given.',

  merchant: 'The id of the merchant that is meant; not needed while there is only one.',
  all: 'Whether all merchants are meant.',
  'merchants.clock': 'live, or the time at which its clock stands frozen: Unix seconds or ISO 8601.',
  'merchants.name': 'What to call it.',
  'merchants.dunning_final_action':
    'What becomes of a subscription when no retry of a payment is left: cancel for a new merchant unless given.',
  'snapshots.name':
    'What to call it: a letter or digit, then up to 63 more letters, digits, dots, underscores or hyphens.',
  'keys.publishable': 'Whether it is for browsers.',
  'keys.secret': 'The key itself, chosen beforehand: sk_test_ or pk_test_ and 24 to 200 letters or digits.',
  'requests.merchant': 'Only those of this merchant; all of them, unauthenticated ones too, unless given.',
  'fixtures.files':
    'The files. What one of them makes, the others can name. Together they have at most 10,000 objects and 4 MiB.',
  'fixtures.files.name': 'What to call the file when something is wrong with it.',
  'fixtures.files.content': 'The file itself; its JSON Schema is fixtures/schema.json.',
  'fixtures.validate_only': 'Whether only to try it, and to make nothing.',
  'faults.kind': "What goes wrong; 'paytwin faults add --help' explains each.",
  'faults.count': 'How many times it strikes; for ever unless given.',
  'faults.route':
    "The routes that it strikes, as a glob like 'POST /v1/customers' or '/v1/prices*'; all unless given. Of a webhook_failure a glob over the url of the endpoint.",
  'faults.merchant': 'The merchant that it strikes; all unless given.',
  'faults.ms': 'Of a latency: how many milliseconds; 1000 unless given.',
}

/** What parameters of a query mean where the same name means something else when it is written. */
export const QUERY_TEXTS: Readonly<Record<string, string>> = {
  'products.active': 'Only those that are on offer; with false only those that are not.',
  'prices.active': 'Only those that new subscriptions may use; with false only the others.',
  'prices.product': 'Only those of this product.',
  'payment_methods.customer': 'Only those that are attached to this customer.',
  'invoices.subscription': 'Only those that bill this subscription.',
  'invoiceitems.invoice': 'Only those on this invoice.',
  'invoiceitems.pending': 'Only those on no invoice yet; with false only those on an invoice.',
  'payment_intents.customer': 'Only those of this customer.',
  'refunds.charge': 'Only those of this charge.',
  'refunds.payment_intent': 'Only those of this payment intent.',

  merchant: 'Only of this merchant; of all of them unless given.',
  'webhooks.merchant': 'Of which merchant; not needed while there is only one.',
}
