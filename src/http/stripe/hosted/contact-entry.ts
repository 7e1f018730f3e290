import type { Address } from '../../../core/contact.ts'
import { hasCardNumber, isCardAsPhone } from './card-entry.ts'
import { countries } from './countries.ts'
import { enteredText } from './entered-text.ts'

/** The fields of a phone number and of a billing address, which are also the names of their inputs. */
export const CONTACT_FIELDS = ['phone', 'country', 'line1', 'line2', 'city', 'state', 'postal_code'] as const
export type ContactField = (typeof CONTACT_FIELDS)[number]

export type ContactState = {
  readonly values: Readonly<Record<ContactField, string>>
  readonly errors: Readonly<Partial<Record<ContactField, string>>>
}

/** The parts of the contact that a page asks for. */
export type ContactAsked = { readonly phone: boolean; readonly address: boolean }

export type ContactEntry = { readonly phone: string | null; readonly address: Address | null }

/** Returns the fields, filled in with the known data of the customer. */
export const knownContact = (phone: string | null, address: Address | null): ContactState => ({
  values: {
    phone: phone ?? '',
    country: address?.country ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    state: address?.state ?? '',
    postal_code: address?.postal_code ?? '',
  },
  errors: {},
})

/** Reads the submitted fields. @returns the entry, with null for fields that the page lacks; and the fields to show again */
export function readContact(
  form: URLSearchParams,
  asked: ContactAsked,
): { readonly entry: ContactEntry; readonly state: ContactState } {
  const values = { ...knownContact(null, null).values }
  for (const field of CONTACT_FIELDS) values[field] = textIn(form, field)
  const { phone, ...address } = values
  const found = {
    ...(asked.phone && { phone: phoneError(phone) }),
    ...(asked.address && {
      country: countries().has(address.country) ? undefined : 'Choose a country.',
      line1: address.line1 === '' ? 'Enter the first line of your address.' : undefined,
      city: address.city === '' ? 'Enter a city.' : undefined,
      postal_code: address.postal_code === '' ? 'Enter a postal code.' : undefined,
    }),
  }
  const errors = Object.fromEntries(Object.entries(found).filter(([, error]) => error !== undefined))
  const orNull = (text: string) => text || null
  const entry = {
    phone: asked.phone ? phone : null,
    address: asked.address
      ? {
          city: orNull(address.city),
          country: orNull(address.country),
          line1: orNull(address.line1),
          line2: orNull(address.line2),
          postal_code: orNull(address.postal_code),
          state: orNull(address.state),
        }
      : null,
  }
  return { entry, state: { values, errors } }
}

/** Source: ITU-T E.164, at most 15 digits. */
const PHONE = /^\+?[\d ().-]{5,24}$/

function phoneError(phone: string): string | undefined {
  if (phone === '') return 'Enter your phone number.'
  const digits = phone.replaceAll(/\D/g, '').length
  return PHONE.test(phone) && digits >= 5 && digits <= 15
    ? undefined
    : 'This is not a phone number. Enter one such as +1 555 010 0199.'
}

/** paytwin: the maximum length of a field. */
const MAX_TEXT = 200

/** Returns the text of a field. The number of a card that was entered in it is dropped. */
function textIn(form: URLSearchParams, field: ContactField): string {
  const text = enteredText(form, field, MAX_TEXT)
  return (field === 'phone' ? isCardAsPhone : hasCardNumber)(text) ? '' : text
}
