export type Intent = {
  readonly key: string
  readonly customer: string | null
  readonly invoice: string | null
  amount: number
  status: 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'succeeded' | 'canceled'
  method: string | null
}

export type Charge = {
  readonly key: string
  readonly intent: string
  readonly customer: string | null
  readonly amount: number
  readonly succeeded: boolean
  readonly refundsFail: boolean
  refunded: number
}

export type Refund = {
  readonly key: string
  readonly charge: string
  readonly amount: number
  readonly created: number
  status: 'succeeded' | 'pending' | 'failed'
}

export type CreditNote = {
  readonly key: string
  readonly invoice: string
  readonly customer: string
  status: 'issued' | 'void'
  /** Counts the credit notes of the invoice. */
  readonly number: number
  /** `line` is the place of the credited line on the invoice; null for a line of its own. */
  readonly lines: readonly { readonly amount: number; readonly line: number | null }[]
  readonly pre: number
  readonly refund: string | null
  readonly toBalance: number
  readonly outOfBand: number
  voidedAt: number | null
}
