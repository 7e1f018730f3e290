import type { Address } from '../../../core/contact.ts'
import { countries } from './countries.ts'

/** Returns the lines of an address that are set. The country is named: `Germany`. */
export function addressLines({ line1, line2, postal_code, city, state, country }: Address): string[] {
  const place = [[postal_code, city].filter(Boolean).join(' '), state].filter(Boolean).join(', ')
  const name = country === null ? null : (countries().get(country) ?? country)
  return [line1, line2, place, name].filter((line): line is string => Boolean(line))
}
