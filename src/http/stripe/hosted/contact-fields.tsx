/** @jsxImportSource hono/jsx */
import { CONTACT_FIELDS, type ContactAsked, type ContactField, type ContactState } from './contact-entry.ts'
import { countries } from './countries.ts'
import { Field, FieldError } from './field.tsx'

type Shown = {
  readonly state: ContactState
  readonly asked: ContactAsked
  /** Whether the first field with an error gets the focus. */
  readonly hasFocus: boolean
}

/** Shows the field of the phone number, if it is asked for. */
export const PhoneField = ({ state, asked, hasFocus }: Shown) =>
  asked.phone ? (
    <Field
      {...shown(state, 'phone')}
      hasFocus={hasFocus}
      label="Phone number"
      type="tel"
      inputmode="tel"
      autocomplete="tel"
      isRequired
    />
  ) : null

/** Shows the fields of the billing address, if it is asked for. */
export function AddressFields({ state, asked, hasFocus }: Shown) {
  if (!asked.address) return null
  const first = hasFocus ? CONTACT_FIELDS.find((field) => state.errors[field] !== undefined) : undefined
  const field = (name: ContactField) => ({ ...shown(state, name), hasFocus: name === first })
  return (
    <fieldset class="group">
      <legend>Billing address</legend>
      <CountryField {...field('country')} autocomplete="country" isRequired />
      <Field {...field('line1')} label="Address line 1" autocomplete="address-line1" isRequired />
      <Field {...field('line2')} label="Address line 2" autocomplete="address-line2" />
      <div class="pair">
        <Field {...field('postal_code')} label="Postal code" autocomplete="postal-code" isRequired />
        <Field {...field('city')} label="City" autocomplete="address-level2" isRequired />
      </div>
      <Field {...field('state')} label="State or province" autocomplete="address-level1" />
    </fieldset>
  )
}

const shown = ({ values, errors }: ContactState, name: ContactField) => ({
  name,
  value: values[name],
  error: errors[name],
})

type CountryShown = {
  readonly name: string
  /** The code of the country; empty for none. */
  readonly value: string
  readonly error: string | undefined
  readonly hasFocus: boolean
  readonly autocomplete: string
  readonly isRequired?: boolean
}

/** Shows the choice of a country. A value that is no country of the list stays chosen. */
export function CountryField({
  name,
  value,
  error,
  hasFocus,
  autocomplete,
  isRequired = false,
}: CountryShown) {
  const isListed = value === '' || countries().has(value)
  return (
    <div class="field">
      <label for={name}>Country</label>
      <select
        id={name}
        name={name}
        autocomplete={autocomplete}
        required={isRequired}
        autofocus={hasFocus}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={error === undefined ? undefined : `${name}-error`}
      >
        <option value="">Choose a country</option>
        {isListed ? null : (
          <option value={value} selected>
            {value}
          </option>
        )}
        {[...countries()].map(([code, country]) => (
          <option value={code} selected={code === value}>
            {country}
          </option>
        ))}
      </select>
      <FieldError name={name} error={error} />
    </div>
  )
}
