import * as z from 'zod'

/** A boolean parameter of which paytwin knows only one value, which is what it does in any case. */
export const only = (known: boolean, error = `paytwin does not know ${!known} here yet`) =>
  z
    .boolean()
    .refine((given) => given === known, { error })
    .optional()
