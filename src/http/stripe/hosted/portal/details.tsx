/** @jsxImportSource hono/jsx */
import { type Address, NO_ADDRESS, NO_CONTACT } from '../../../../core/contact.ts'
import type { Customer } from '../../../../core/customer.ts'
import type { PortalFeatures } from '../../../../core/portal-configuration.ts'
import { type CustomerParams, updateCustomer } from '../../../../engine/resources/customer.ts'
import { emailError, hasCardNumber, isCardAsPhone } from '../card-entry.ts'
import { CountryField } from '../contact-fields.tsx'
import { countries } from '../countries.ts'
import { enteredText } from '../entered-text.ts'
import { Field } from '../field.tsx'
import { Token } from '../form-token.tsx'
import { stepPage } from './parts.tsx'
import { checkOffered, checkToken, finish, type Portal, type PortalRequest, tokenOf } from './portal.ts'

type Update = PortalFeatures['customer_update']['allowed_updates'][number]

/** The updates for which the page has fields: there are no tax ids. */
const SHOWN: readonly Update[] = ['name', 'email', 'phone', 'address', 'shipping']

const MAX_TEXT = 500

const ADDRESS = [
  ['line1', 'Address line 1', 'address-line1'],
  ['line2', 'Address line 2', 'address-line2'],
  ['postal_code', 'Postal code', 'postal-code'],
  ['city', 'City', 'address-level2'],
  ['state', 'State or province', 'address-level1'],
  ['country', 'Country', 'country'],
] as const satisfies readonly (readonly [keyof Address, string, string])[]

/** Returns the details that a customer can change on the page. */
export const changeableOf = ({ configuration }: Portal): readonly Update[] => {
  const { enabled, allowed_updates } = configuration.features.customer_update
  return enabled ? SHOWN.filter((update) => allowed_updates.includes(update)) : []
}

/** The customer, and which details the page has fields for: one without a field would be removed. */
const detailsState = (portal: Portal) => ['details', portal.customer, changeableOf(portal)] as const

type Errors = Readonly<Record<string, string>>

/** Shows the form of the customer's details. */
export const detailsPage = (portal: Portal, { given, alert }: PortalRequest): Response =>
  formPage(portal, { given, alert, errors: {} })

function formPage(
  portal: Portal,
  { given, alert, errors }: Pick<PortalRequest, 'given' | 'alert'> & { errors: Errors },
): Response {
  const allowed = changeableOf(portal)
  checkOffered(allowed.length > 0)
  const known = valuesOf(portal.customer)
  const fieldOf = (name: string, label: string, autocomplete: string) => {
    const shown = {
      name,
      autocomplete,
      value: isCardIn(name, given.get(name)) ? '' : (given.get(name) ?? known[name] ?? ''),
      error: errors[name],
      hasFocus: Object.keys(errors)[0] === name,
    }
    if (name.endsWith('_country')) return <CountryField {...shown} />
    const type = name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text'
    return <Field {...shown} label={label} type={type} maxlength={MAX_TEXT} />
  }
  return stepPage(portal, {
    title: 'Update details',
    alert,
    content: (
      <form method="post" novalidate>
        <Token value={tokenOf(portal, detailsState(portal))} />
        {allowed.includes('name') ? fieldOf('name', 'Name', 'name') : null}
        {allowed.includes('email') ? fieldOf('email', 'Email', 'email') : null}
        {allowed.includes('phone') ? fieldOf('phone', 'Phone', 'tel') : null}
        {allowed.includes('address') ? (
          <fieldset class="field">
            <legend>Billing address</legend>
            {ADDRESS.map(([part, label, autocomplete]) =>
              fieldOf(`address_${part}`, label, `billing ${autocomplete}`),
            )}
          </fieldset>
        ) : null}
        {allowed.includes('shipping') ? (
          <fieldset class="field">
            <legend>Shipping address</legend>
            {fieldOf('shipping_name', 'Recipient', 'shipping name')}
            {ADDRESS.map(([part, label, autocomplete]) =>
              fieldOf(`shipping_${part}`, label, `shipping ${autocomplete}`),
            )}
          </fieldset>
        ) : null}
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    ),
  })
}

/** Reports whether a field contains what could be a card number. It must be neither stored nor shown. */
const isCardIn = (name: string, text: string | null): boolean =>
  text !== null && (name === 'phone' ? isCardAsPhone : hasCardNumber)(text)

/** Returns the details of a customer by the names of their fields. */
function valuesOf({ name, email, contact }: Customer): Readonly<Record<string, string | null>> {
  const { phone, address, shipping } = contact ?? NO_CONTACT
  const partsOf = (prefix: string, given: Address | null | undefined) =>
    Object.fromEntries(ADDRESS.map(([part]) => [`${prefix}_${part}`, given?.[part] ?? null]))
  return {
    name,
    email,
    phone,
    ...partsOf('address', address),
    shipping_name: shipping?.name ?? null,
    ...partsOf('shipping', shipping?.address),
  }
}

/** Changes the details that the configuration allows. */
export function submitDetails(portal: Portal, { given }: PortalRequest): Response {
  const { unit, customer } = portal
  const allowed = changeableOf(portal)
  checkOffered(allowed.length > 0)
  checkToken(portal, given, detailsState(portal))
  const textIn = (name: string) => enteredText(given, name, MAX_TEXT) || null
  const errors = { ...errorsIn(allowed, textIn, customer), ...cardErrorsIn(given) }
  if (Object.keys(errors).length > 0) return formPage(portal, { given, errors })
  updateCustomer(unit, customer.id, paramsOf(allowed, textIn, customer))
  return finish(portal, 'details')
}

type TextIn = (name: string) => string | null

function errorsIn(allowed: readonly Update[], textIn: TextIn, customer: Customer): Errors {
  const { email } = customer
  const known = valuesOf(customer)
  const countryError = (name: string) =>
    [...countries().keys(), null, known[name]].includes(textIn(name)) ? undefined : 'Choose a country.'
  const given = textIn('email')
  const isWrongEmail = allowed.includes('email') && (given !== null || email !== null)
  const found = {
    email: isWrongEmail ? emailError(given ?? '') : undefined,
    address_country: allowed.includes('address') ? countryError('address_country') : undefined,
    shipping_country: allowed.includes('shipping') ? countryError('shipping_country') : undefined,
    shipping_name:
      allowed.includes('shipping') && hasShipping(textIn) && textIn('shipping_name') === null
        ? 'Enter the name of the recipient.'
        : undefined,
  }
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const cardErrorsIn = (form: URLSearchParams): Errors =>
  Object.fromEntries(
    [...form]
      .filter(([name, text]) => name !== 'token' && isCardIn(name, text))
      .map(([name]) => [name, 'This looks like the number of a card. Cards have a page of their own.']),
  )

const hasShipping = (textIn: TextIn): boolean => ADDRESS.some(([part]) => textIn(`shipping_${part}`) !== null)

function paramsOf(allowed: readonly Update[], textIn: TextIn, { contact }: Customer): CustomerParams {
  const addressIn = (prefix: string): Address => ({
    ...NO_ADDRESS,
    ...Object.fromEntries(ADDRESS.map(([part]) => [part, textIn(`${prefix}_${part}`)])),
  })
  const isSet = (address: Address) => Object.values(address).some((part) => part !== null)
  const address = addressIn('address')
  const changes = {
    ...(allowed.includes('phone') && { phone: textIn('phone') }),
    ...(allowed.includes('address') && { address: isSet(address) ? address : null }),
    ...(allowed.includes('shipping') && {
      shipping: hasShipping(textIn)
        ? {
            address: addressIn('shipping'),
            name: textIn('shipping_name') ?? '',
            phone: contact?.shipping?.phone ?? null,
          }
        : null,
    }),
  }
  return {
    ...(allowed.includes('name') && { name: textIn('name') }),
    ...(allowed.includes('email') && { email: textIn('email') }),
    ...(Object.keys(changes).length > 0 && { contact: changes }),
  }
}
