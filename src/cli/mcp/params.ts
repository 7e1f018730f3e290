import * as z from 'zod'

/** Parameters that several tools share, with their descriptions for the assistant. */

export const merchant = () =>
  z
    .string()
    .optional()
    .describe(
      'The ID of the merchant (mer_…). Required if the sandbox has several merchants; status lists them.',
    )

export const at = () =>
  z
    .string()
    .optional()
    .describe('Show it as of this earlier time instead of now: ISO 8601, a date, or Unix seconds.')

export const limit = (most: number, byDefault: number) =>
  z.int().min(1).max(most).default(byDefault).describe(`The maximum number of entries, 1 to ${most}.`)

export const testClock = () =>
  z.string().optional().describe('A test clock (clock_…) instead of the main clock of the merchant.')
