/** A postal address. Parts that were not given are null. */
export type Address = {
  readonly city: string | null
  readonly country: string | null
  readonly line1: string | null
  readonly line2: string | null
  readonly postal_code: string | null
  readonly state: string | null
}

/** The shipping address of a customer. */
type ShippingDetails = {
  readonly address: Address
  readonly name: string
  readonly phone: string | null
}

/** The contact data of a customer, except its email address. */
export type Contact = {
  readonly address: Address | null
  readonly phone: string | null
  /** Languages in order of preference, such as `de` or `pt-BR`. */
  readonly preferred_locales: readonly string[]
  readonly shipping: ShippingDetails | null
  /** Absent for `none`. Nothing is taxed here. */
  readonly tax_exempt?: TaxExempt
}

export const TAX_EXEMPTIONS = ['none', 'exempt', 'reverse'] as const
type TaxExempt = (typeof TAX_EXEMPTIONS)[number]

/** The owner of a payment method. */
export type BillingDetails = {
  readonly address: Address
  readonly email: string | null
  readonly name: string | null
  readonly phone: string | null
}

export const NO_ADDRESS: Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
}

export const NO_CONTACT: Contact = { address: null, phone: null, preferred_locales: [], shipping: null }

export const NO_BILLING_DETAILS: BillingDetails = {
  address: NO_ADDRESS,
  email: null,
  name: null,
  phone: null,
}
