import type Stripe from 'stripe'
import type { Json } from '../../json.ts'
import type { ObjectsAt } from '../../versions.ts'
import type { Wire } from '../wire.ts'

export const intentBeforeBasil = (intent: Wire<Stripe.PaymentIntent>, { view }: ObjectsAt): Json => ({
  ...intent,
  invoice: view.get('payment_intent', intent.id)?.invoice ?? null,
})

export function chargeBeforeBasil(charge: Wire<Stripe.Charge>, { view }: ObjectsAt): Json {
  const { payment_intent } = charge
  const intent = payment_intent === null ? undefined : view.get('payment_intent', payment_intent)
  return { ...charge, invoice: intent?.invoice ?? null }
}

export const creditNoteBeforeBasil = ({
  refunds,
  total_taxes: _,
  ...note
}: Wire<Stripe.CreditNote>): Json => ({
  ...note,
  refund: refunds[0]?.refund ?? null,
  tax_amounts: [],
})

export const creditLineBeforeBasil = ({ taxes: _, ...line }: Wire<Stripe.CreditNoteLineItem>): Json => ({
  ...line,
  amount_excluding_tax: line.amount,
  tax_amounts: [],
  unit_amount_excluding_tax: line.unit_amount_decimal,
})
