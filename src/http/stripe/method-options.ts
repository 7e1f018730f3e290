import * as z from 'zod'
import { THREE_D_SECURE, type ThreeDSecure } from '../../core/payment-settings.ts'
import { deferred } from '../deferred.ts'

/** The parameter `payment_method_options`. Its values are stored and shown, and have no effect. */
export const methodOptionsParam = deferred(() =>
  z
    .object({ card: z.object({ request_three_d_secure: z.enum(THREE_D_SECURE).optional() }).optional() })
    .optional(),
)

export type GivenOptions = {
  payment_method_options?: z.output<ReturnType<typeof methodOptionsParam>> | undefined
}

/** Returns what a request chooses about 3D Secure, as a part of options; empty if it chooses nothing. */
export function threeDSecureOf(given: GivenOptions | undefined): { request_three_d_secure?: ThreeDSecure } {
  const chosen = given?.payment_method_options?.card?.request_three_d_secure
  return chosen === undefined ? {} : { request_three_d_secure: chosen }
}
