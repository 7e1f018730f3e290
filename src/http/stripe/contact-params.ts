import * as z from 'zod'
import { type Address, type BillingDetails, type Contact, TAX_EXEMPTIONS } from '../../core/contact.ts'
import { deferred } from '../deferred.ts'
import { optionalText } from '../fields.ts'

const address = deferred(() =>
  z.object({
    city: optionalText,
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, { error: 'expected a country code of two letters' })
      .nullable()
      .optional(),
    line1: optionalText,
    line2: optionalText,
    postal_code: optionalText,
    state: optionalText,
  }),
)

/** The contact of a customer. */
export const contactFields = {
  address: address().nullable().optional(),
  phone: optionalText,
  preferred_locales: z.array(z.string().min(1).max(35)).max(100).optional(),
  shipping: z
    .object({ address: address(), name: z.string().min(1).max(5_000), phone: optionalText })
    .nullable()
    .optional(),
  tax_exempt: z.enum(['', ...TAX_EXEMPTIONS]).optional(),
}

/** The billing details of a payment method. */
export const billingDetails = deferred(() =>
  z
    .object({
      address: address().nullable().optional(),
      email: optionalText,
      name: optionalText,
      phone: optionalText,
    })
    .optional(),
)

/**
 * Returns the parts of a contact that a request sets; undefined if it sets none. An address replaces the whole previous
 * address.
 */
export function contactOf({
  address: home,
  phone,
  preferred_locales,
  shipping,
  tax_exempt,
}: z.output<z.ZodObject<typeof contactFields>>): Partial<Contact> | undefined {
  const contact = {
    ...(home !== undefined && { address: home && addressOf(home) }),
    ...(phone !== undefined && { phone: phone || null }),
    ...(preferred_locales && { preferred_locales }),
    ...(tax_exempt !== undefined && { tax_exempt: tax_exempt || ('none' as const) }),
    ...(shipping !== undefined && {
      shipping: shipping && {
        address: addressOf(shipping.address),
        name: shipping.name,
        phone: shipping.phone ?? null,
      },
    }),
  }
  return Object.keys(contact).length === 0 ? undefined : contact
}

/** Returns the billing details that a request gives; undefined for none. */
export const billingDetailsOf = (
  given: z.output<ReturnType<typeof billingDetails>>,
): BillingDetails | undefined =>
  given && {
    address: addressOf(given.address ?? {}),
    email: given.email ?? null,
    name: given.name ?? null,
    phone: given.phone ?? null,
  }

/** Returns the parts of billing details that a request changes; undefined for none. */
export const billingChangesOf = (
  given: z.output<ReturnType<typeof billingDetails>>,
): Partial<BillingDetails> | undefined =>
  given && {
    ...(given.address !== undefined && { address: addressOf(given.address ?? {}) }),
    ...(given.email !== undefined && { email: given.email || null }),
    ...(given.name !== undefined && { name: given.name || null }),
    ...(given.phone !== undefined && { phone: given.phone || null }),
  }

const addressOf = (given: z.output<ReturnType<typeof address>>): Address => ({
  city: given.city ?? null,
  country: given.country ?? null,
  line1: given.line1 ?? null,
  line2: given.line2 ?? null,
  postal_code: given.postal_code ?? null,
  state: given.state ?? null,
})
