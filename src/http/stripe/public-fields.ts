/** The fields of an intent that a publishable key does not see. */
const PRIVATE_FIELDS = [
  'amount_details',
  'application',
  'application_fee_amount',
  'customer',
  'customer_account',
  'latest_attempt',
  'latest_charge',
  'mandate',
  'metadata',
  'on_behalf_of',
  'review',
  'single_use_mandate',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'transfer_data',
  'transfer_group',
]

/**
 * Returns an intent as its caller sees it: a browser with a publishable key sees no private fields. The type is that of the
 * full object, as in the SDK, which has no type for the other.
 */
export const forBrowser = <Body extends object>(isPublic: boolean, body: Body): Body =>
  isPublic
    ? (Object.fromEntries(Object.entries(body).filter(([name]) => !PRIVATE_FIELDS.includes(name))) as Body)
    : body
