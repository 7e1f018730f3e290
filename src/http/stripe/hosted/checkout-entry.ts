import type { CheckoutSession } from '../../../core/checkout-session.ts'
import { parameterInvalid } from '../../../core/errors.ts'
import { enteredText } from './entered-text.ts'

/** The name of the form's buttons, except those that fill in a test card. */
export const ACTION = 'action'

/** `enter` is the button that Enter presses: it applies what was changed, or submits the form. */
const ACTIONS = ['enter', 'submit', 'update', 'apply', 'remove'] as const
export type CheckoutAction = (typeof ACTIONS)[number]

/** The names of further inputs of the form. */
export const PROMOTION_CODE = 'promotion_code'
export const TERMS = 'terms'
export const PAY_WITH = 'pay_with'
export const quantityName = (line: string): string => `quantity-${line}`

/** Returns the button that was pressed. */
export const actionIn = (form: URLSearchParams): CheckoutAction =>
  ACTIONS.find((action) => action === form.get(ACTION)) ?? 'enter'

/** The changes of the session that a form requests. */
export type CheckoutChanges = {
  /** The changed quantities, by the ids of their lines. */
  readonly quantities: Readonly<Record<string, number>>
  /** The errors of entered quantities. */
  readonly quantityErrors: Readonly<Record<string, string>>
  /** The entered code; null to remove the applied code; undefined for no change. */
  readonly promotion_code: string | null | undefined
}

/** Reads the changes that a form requests: all quantities that differ, and the code if one was entered or removed. */
export function changesIn(form: URLSearchParams, { lines }: CheckoutSession): CheckoutChanges {
  const quantities: Record<string, number> = {}
  const quantityErrors: Record<string, string> = {}
  for (const { id, quantity, adjustable } of lines) {
    const text = form.get(quantityName(id))?.trim()
    if (adjustable === null || text === undefined || text === String(quantity)) continue
    const { minimum, maximum } = adjustable
    const entered = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (entered >= minimum && entered <= maximum) quantities[id] = entered
    else quantityErrors[id] = `Enter a whole number from ${minimum} to ${maximum}.`
  }
  const code = enteredText(form, PROMOTION_CODE, MAX_CODE)
  const action = actionIn(form)
  const entered = code !== '' || action === 'apply' ? code : undefined
  return { quantities, quantityErrors, promotion_code: action === 'remove' ? null : entered }
}

/** paytwin: the maximum length of an entered code. Promotion codes are shorter. */
const MAX_CODE = 200

/** Returns the type of the payment method that was chosen; the first one by default. */
export function methodTypeIn(
  form: URLSearchParams,
  { settings: { payment_method_types: allowed } }: CheckoutSession,
): CheckoutSession['settings']['payment_method_types'][number] {
  return allowed.find((type) => type === form.get(PAY_WITH)) ?? allowed[0] ?? 'card'
}

/** @throws ApiError parameter_invalid for a button or a payment method that the page does not have */
export function checkChoices(form: URLSearchParams, { settings }: CheckoutSession): void {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    [ACTION]: ACTIONS,
    [PAY_WITH]: settings.payment_method_types,
  }
  for (const [name, values] of Object.entries(allowed))
    for (const given of form.getAll(name))
      if (!values.includes(given)) throw parameterInvalid(name, `${name} must be ${values.join(' or ')}`)
}
