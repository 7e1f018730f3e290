import { table } from '../table.ts'

/**
 * Sentences of the contract that can be checked: group, the sentence in other words, and the test that checks it.
 * Sentences about people (a notice of thirty days, advice to clients) are not here.
 */
export const SENTENCES = table(
  ['section', 'sentence', 'file', 'title'],
  `
  1    the API is JSON over HTTP under /v1                                http/api                        to %s %s with %j carries livemode and the headers
  1    secret keys create and confirm intents                             contract/payment-intent-create  it succeeds with its charge
  1    secret keys refund charges                                         contract/refund                 of a part is shown completely, and counts as refunded on the charge
  1    subscriptions make invoices, collect them and retry failures       scenarios/timelines             the subscription recovers on 3 March and renews on 31 March as usual
  1    apps get access on behalf of merchants                             http/oauth/access               gives access to the merchant’s data, as a key does
  1    every response says livemode                                       http/api                        to %s %s with %j carries livemode and the headers
  1    only sandbox keys are issued                                       contract/key                    is never issued for production
  1    only cards recur; a push method is 422                             contract/subscription-refusals  %s is refused by an update, whatever the subscription
  1    a subscription with a push method is not created                   contract/subscription-collection  one %s
  1    amounts are integers in the smallest unit                          contract/payment-intent-create  %j
  1    a currency is a three-letter ISO code                              contract/payment-intent-create  %j
  2.1  an intent’s id begins with pi_                                     contract/payment-intent-create  returns 201, is shown completely, and requires confirmation also without a payment method
  2.1  its statuses                                                       contract/payment-intent-update  of an intent that is %s can change description and metadata
  2.1  its amount is from 1 to 99999999                                   contract/payment-intent-create  takes an amount of %i
  2.1  a browser confirms with publishable key and client secret          contract/publishable            an intent is confirmed, and the response omits the same fields
  2.1  a payment method must be attached before it is confirmed           contract/payment-intent-confirm  without a payment method is refused, with the status of a request and the type of a payment
  2.2  the fields of a subscription                                       http/subscription               is active and has all its fields
  2.2  charge_automatically unless told otherwise                         http/subscription               is active and has all its fields
  2.2  the payment method exists on the customer                          http/subscription-refusals      %s
  2.2  latest_invoice is there once the first payment succeeded           scenarios/invoicing             is the newest invoice once one was paid, whether or not that is paid
  2.2  items have price and quantity                                      contract/subscription-update    are added, changed and removed, with effect from the next renewal
  2.3  an invoice’s id, status and number                                 http/invoice                    that was paid is shown whole
  2.3  the number comes with finalizing                                   contract/manual-invoice         that is $from: $action → $next
  2.4  the remainder is amount less amount_refunded                       contract/refund                 without an amount refunds the remainder
  2.4  a refund’s amount is a positive integer                            contract/refund                 %j
  2.5  authorization codes, access tokens and refresh tokens              http/oauth/token                is exchanged for tokens, which are shown once and not stored
  2.5  an app authenticates with client_id and client_secret              http/oauth/token                and is refused in the same words with %s
  2.6  the error object                                                   contract/interface              an error has type, code, message and param, and only the further fields of its code
  3.1  created and paid: active, with its latest invoice                  contract/subscription-table     $when → $next
  3.1  created and declined: incomplete, and retried                      contract/subscription-table     that is $from: $trigger → $next
  3.1  error_if_incomplete and declined: 402, nothing written             http/subscription               is 402 with error_if_incomplete, and nothing is written
  3.1  a renewal that is paid: a new invoice, the period moves            scenarios/timelines             it renews on the last day of shorter months, and on the 31st of the others
  3.1  a renewal that fails: past_due, retries on days 1, 3, 5, 7         scenarios/timelines             cancel ends the subscription at the last retry and leaves its invoice open
  3.2  created as a draft, with invoice.created                           contract/manual-invoice         is a draft of all pending items
  3.2  finalized: open, numbered, invoice.finalized                       contract/manual-invoice         that is $from: $action → $next
  3.2  paid: paid, invoice.paid                                           contract/manual-invoice         that is $from: $action → $next
  3.3  confirming needs requires_confirmation                             contract/payment-intent-confirm  one that is %s is refused before anything else
  3.3  confirming a succeeded one is unexpected                           contract/payment-intent-confirm  one that is %s is refused before anything else
  3.3  what has not succeeded can be canceled                             contract/payment-intent-confirm  an intent that is %s ends it
  3.3  what has succeeded cannot                                          contract/payment-intent-confirm  a succeeded or unknown intent is refused
  3.3  a canceled one is not used again                                   contract/payment-intent-update  of an intent that is %s: %j
  3.3  confirming without a payment method is not initialized             contract/payment-intent-confirm  without a payment method is refused, with the status of a request and the type of a payment
  4    every endpoint wants a key                                         contract/key                    every route of /v1 requires a key
  4    bodies are JSON or forms                                           contract/idempotency            is the same in JSON and in a form, whatever the order
  4    writes may carry a key                                             contract/idempotency            is replayed byte for byte, without effects
  4    a key with other parameters is refused                             contract/idempotency            is refused for another request: %s %s %j
  4    errors come in the envelope                                        contract/interface              an error has type, code, message and param, and only the further fields of its code
  4.1  creating needs amount and currency, and returns 201                contract/payment-intent-create  returns 201, is shown completely, and requires confirmation also without a payment method
  4.1  reading one, or 404 when it is not accessible                      contract/key                    an object is not accessible with the key of another merchant, whatever the route
  4.1  confirming, with a key too                                         contract/idempotency            is stored: the confirmation is not repeated
  4.2  a refund’s amount is within the remainder                          contract/refund                 one cent more than the remainder
  4.2  else amount_invalid or amount_too_large                            contract/refund                 %j
  4.3  customer, currency and items are required                          http/params                     before any reference is resolved
  4.3  a payment method is required when charged at once                  http/subscription-refusals      even if the customer has a default
  4.3  it may be left out for trials and sent invoices                    contract/subscription-collection  need no payment method, and paying one without is 402
  4.3  items are not empty and their prices resolve                       http/subscription-refusals      %s
  4.3  default_incomplete is the default, allow_incomplete the same       contract/subscription-table     $when → $next
  4.3  validated, written, drafted, finalized, collected, in this order   http/subscription               emits events in the order of its steps, each with the state at that step
  4.3  latest_invoice is set on success                                   http/subscription               is active and has all its fields
  4.3  error_if_incomplete leaves nothing                                 scenarios/first-payment         changes nothing: later results are as if it had not been called
  4.3  DELETE with cancel_at_period_end ends it then                      scenarios/cancellation          takes effect in place of the renewal
  4.3  DELETE without a body ends it now                                  contract/subscription-table     that is $from: $trigger → $next
  4.4  HTTP Basic with client_id and client_secret, and a form            http/oauth/token                with user and password form-url-encoded
  4.4  grant_type, code and redirect_uri are asked for                    http/oauth/token                with %s misses a parameter
  4.4  a code is exchanged for an access and a refresh token              http/oauth/token                is exchanged for tokens, which are shown once and not stored
  4.4  a refresh token is exchanged for an access token                   http/oauth/token                is rotated: a new pair is issued, and the former access token stays valid for its hour
  4.4  a merchant approves                                                http/oauth/page                 to approve redirects the browser with a valid code
  4.4  a merchant denies                                                  http/oauth/page                 to deny sends the browser back without one: %j
  4.4  an access token is revoked                                         http/oauth/token                an access token leaves its refresh token, and the other access tokens
  4.4  a refresh token is revoked                                         http/oauth/token                a refresh token is revoked with its family
  5.1  sk_test_ for the sandbox, sk_live_ for production                  http/auth                       a live key
  5.1  only sk_test_ is issued                                            contract/key                    is never issued for production
  5.2  Basic with an empty password, or Bearer                            http/auth                       as %s
  5.2  an api-key header opens nothing                                    http/auth                       an api-key header alone
  5.3  pk_ keys go with a client secret                                   contract/publishable            an intent is read without customer, metadata, invoice and latest_charge
  5.3  they are refused on writes                                         contract/publishable            %s %s
  5.4  a key is shown once, and only its hash kept                        contract/key                    is kept as a hash only
  5.4  afterwards it has a hint                                           contract/key                    is shown in full once, and is listed by its hint from then on
  5.4  revoking is immediate and for good; it stays listed                contract/key                    once revoked stays so, and stays listed with its hint and last use
  5.4  a cached key works up to 60 seconds longer                         contract/limits                 works for %i seconds more when keys are cached so long
  5.4  there is no reveal                                                 contract/key                    cannot be shown again, and is replaced by a new one
  5.5  missing, invalid, revoked: the same 401                            http/auth                       all of them in the same words
  5.5  an outage is a 401 that does not blame the key                     contract/fault                  a request is refused with a message that does not blame the key
  5.5  both bodies carry type and message                                 contract/fault                  a request is refused with a message that does not blame the key
  6    events are in the merchant’s stream                                http/stream                     sends new events, each with its type and id
  6    the eight kinds                                                    core/event                      the eight types of the contract exist
  6    subscription.created, .updated, .deleted, .resumed                 contract/subscription-table     that is $from: $trigger → $next
  6    invoice.created when the draft is made                             contract/manual-invoice         is a draft of all pending items
  6    invoice.finalized when it opens                                    contract/manual-invoice         that is $from: $action → $next
  6    invoice.paid when the payment succeeds                             contract/manual-invoice         that is $from: $action → $next
  6    invoice.payment_failed when it fails                               contract/manual-invoice         that is $from: $action → $next
  6    a renewal tells created, finalized, paid                           contract/subscription-table     that is $from: $trigger → $next
  7.1  type and code always, but in key failures                          contract/interface              an error has type, code, message and param, and only the further fields of its code
  7.1  param is null when not applicable                                  contract/interface              an error has type, code, message and param, and only the further fields of its code
  7.2  api_error is 500                                                   contract/fault                  %s returns its error, writes nothing, and is not stored
  7.2  authentication_error is 401                                        http/auth                       all of them in the same words
  7.2  invalid_request_error is 400, 404 or 422                           contract/interface              an error has type, code, message and param, and only the further fields of its code
  7.2  rate_limit_error is 429                                            contract/limits                 one more in a second is refused, and the next second is another
  7.2  payment_error is 402                                               contract/payment-intent-create  %s is declined with %s and %s
  7.3  resource_missing                                                   contract/key                    an object is not accessible with the key of another merchant, whatever the route
  7.3  parameter_invalid                                                  contract/subscription-refusals  for an invalid parameter
  7.3  parameter_missing                                                  contract/payment-intent-create  %j
  7.3  amount_invalid                                                     contract/payment-intent-create  %j
  7.3  amount_too_large                                                   contract/payment-intent-create  %j
  7.3  amount_too_large beyond the refundable remainder                   contract/refund                 a charge that is refunded in full
  7.3  payment_intent_unexpected_state                                    contract/payment-intent-confirm  one that is %s is refused before anything else
  7.3  invalid_state_transition, param null or status                     contract/payment-intent-update  of an intent that is %s: %j
  7.3  payment_not_initialized, of type payment_error and 400             contract/payment-intent-confirm  without a payment method is refused, with the status of a request and the type of a payment
  7.3  idempotency_key_reuse                                              contract/idempotency            is refused for another request: %s %s %j
  7.3  internal_error                                                     contract/fault                  %s returns its error, writes nothing, and is not stored
  7.3  unsupported_psp_capability                                         contract/subscription-collection  one %s
  7.3  error_if_incomplete is 402                                         contract/subscription-table     $when → $next
  7.3  the statuses are a closed set                                      contract/random                 random requests never cause a 500, and the books balance
  8    at most 99999999                                                   contract/payment-intent-create  takes an amount of %i
  8    at least 1                                                         contract/payment-intent-create  %j
  8    a revoked key works up to 60 seconds                               contract/limits                 works for %i seconds more when keys are cached so long
  8    retries on days 1, 3, 5, 7                                         core/dunning                    a failed payment is retried 1, 3, 5 and 7 days after it failed
  9    versions are dates, and older ones go on working                   contract/version                has its parameters converted to the current ones
  9    there is one: 2026-03-09                                           contract/version                there is one version, which every merchant has
  9    an account has a default, which can be changed                     contract/version                the account’s applies to bodies too
  9    the header overrules it, and the response says which was used      contract/version                is set by the header, else by the account
  9    a breaking change is seen by newer versions only                   contract/version                includes the changes of all later versions
  `,
)

/** The groups of sentences, each with the heading of the contract that has their rules. */
export const SECTIONS: Readonly<Record<string, string>> = {
  1: 'docs/contract/requests.md#environment',
  2.1: 'docs/contract/payments.md#payment-intents',
  2.2: 'docs/contract/subscriptions.md#fields',
  2.3: 'docs/contract/invoices.md#fields',
  2.4: 'docs/contract/payments.md#refunds',
  2.5: 'docs/contract/oauth.md#status',
  2.6: 'docs/contract/errors.md#envelope',
  3.1: 'docs/contract/subscriptions.md#status',
  3.2: 'docs/contract/invoices.md#status',
  3.3: 'docs/contract/payments.md#payment-intent-status',
  4: 'docs/contract/requests.md#bodies',
  4.1: 'docs/contract/payments.md#creating-an-intent',
  4.2: 'docs/contract/payments.md#refunds',
  4.3: 'docs/contract/subscriptions.md#creating',
  4.4: 'docs/contract/oauth.md#token-endpoint',
  5.1: 'docs/contract/authentication.md#secret-keys',
  5.2: 'docs/contract/authentication.md#accepted-schemes',
  5.3: 'docs/contract/authentication.md#publishable-keys',
  5.4: 'docs/contract/authentication.md#key-lifecycle',
  5.5: 'docs/contract/authentication.md#authentication-failures',
  6: 'docs/contract/events-and-webhooks.md#event-types',
  7.1: 'docs/contract/errors.md#envelope',
  7.2: 'docs/contract/errors.md#types',
  7.3: 'docs/contract/errors.md#codes',
  8: 'docs/contract/requests.md#amounts',
  9: 'docs/contract/versions.md#choosing-a-version',
}
