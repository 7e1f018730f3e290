import type { Api } from '../api.ts'

/** Registers the routes of Stripe's API. */
export type StripeApi = Pick<Api, 'read' | 'write'>
