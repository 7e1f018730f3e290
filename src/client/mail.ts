import { getJson } from './admin-requests.ts'
import type { Limited, OfMerchant } from './params.ts'
import type { Address } from './transport.ts'
import type { List, Mail } from './types.ts'

/** Selects mail. */
export type MailQuery = OfMerchant &
  Limited & { readonly kind?: string | undefined; readonly to?: string | undefined }

/** Lists the mail for customers, newest first. @throws Refused, Unreachable: see Client */
export const listMail = (address: Address, query: MailQuery): Promise<List<Mail>> =>
  getJson(address, 'mail', query)

/** Reads a mail. @throws Refused, Unreachable: see Client */
export const readMail = (address: Address, id: string): Promise<Mail> =>
  getJson(address, `mail/${encodeURIComponent(id)}`)
