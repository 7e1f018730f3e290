import * as z from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import { CARD_NAMES, cardNamed } from '../../core/test-card.ts'
import type { CardParams } from '../../engine/resources/payment-method.ts'
import { deferred } from '../deferred.ts'
import { card as cardNumber } from '../payment-method.ts'

/** A card: the number of a test card, or a token of one. */
export const card = deferred(() =>
  z.union([cardNumber(), z.object({ token: z.string() })], {
    error: 'expected the number of a test card, or a token such as tok_visa',
  }),
)

/** Returns the card of a test token: `tok_visa` is the card of `pm_card_visa`. @throws ApiError parameter_invalid */
export function cardOf(given: z.infer<ReturnType<typeof card>>): CardParams {
  if (!('token' in given)) return given
  const known = cardNamed(CARD_NAMES.stripe.get(given.token) ?? null)
  if (!known) throw parameterInvalid('card[token]', `No such token: '${given.token}'`)
  return { number: known.number }
}
