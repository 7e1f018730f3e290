import type { Api } from '../api.ts'

/** The methods that register routes of Stripe's API. */
export type StripeApi = Pick<Api, 'read' | 'write'>
