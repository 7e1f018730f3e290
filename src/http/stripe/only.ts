import * as z from 'zod'
import { deferred } from '../deferred.ts'

/** A boolean parameter with one allowed value, which describes what paytwin always does. */
export const only = (known: boolean, error = `paytwin does not know ${!known} here yet`) =>
  z
    .boolean()
    .refine((given) => given === known, { error })
    .optional()

/** A feature that can only be off: `{ enabled: false }`. */
export const disabled = (what: string) =>
  z
    .object({ enabled: only(false, `paytwin has no ${what} yet: leave it out, or set enabled to false`) })
    .optional()

/** The issuer of an invoice, which can only be the account. */
export const ownInvoices = deferred(() =>
  z
    .object({
      issuer: z.object({ type: z.literal('self', { error: 'paytwin knows only self here' }) }).optional(),
    })
    .optional(),
)
