import type Stripe from 'stripe'
import type { View } from '../../../engine/history/view.ts'
import { accountIdOf } from '../account-id.ts'
import type { StripeApi } from '../api.ts'
import { returning } from '../returns.ts'
import type { Wire } from '../wire.ts'

/** The currency of an account, where nothing else names one. */
export const ACCOUNT_CURRENCY = 'usd'

export function accountRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/account',
      summary: 'Retrieves the account, which is the merchant.',
      returns: returning<Wire<Stripe.Account>>('account'),
    },
    ({ view }) => presentAccount(view),
  )
}

const presentAccount = ({ merchant }: View): Wire<Stripe.Account> => ({
  id: accountIdOf(merchant.id),
  object: 'account',
  business_profile: null,
  business_type: null,
  capabilities: { card_payments: 'active', transfers: 'active' },
  charges_enabled: true,
  country: 'US',
  created: merchant.created,
  default_currency: ACCOUNT_CURRENCY,
  details_submitted: true,
  email: null,
  metadata: {},
  payouts_enabled: true,
  settings: null,
  type: 'standard',
})
