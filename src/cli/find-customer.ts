import type { Client } from '../client/client.ts'
import { MerchantApi } from '../client/merchant-api.ts'
import { readEach } from '../client/read-each.ts'
import type { Customer } from '../client/types.ts'
import { someOf } from '../text/some-of.ts'
import { Failure, wrongUsage } from './failure.ts'

/** The maximum number of customers with one email address that an error lists. */
const MAX_NAMED = 5

/**
 * Returns the ID of a customer that is given by ID, by email address, or by its name in fixtures.
 * @param merchants - the merchants whose customers are searched
 * @throws Failure 1 if no customer has the email address; Failure 2 if several have it
 */
export async function findCustomer(
  client: Client,
  merchants: readonly string[],
  text: string,
): Promise<string> {
  if (text.startsWith('cus_')) return text
  if (!text.includes('@')) return (await client.customer(text)).id
  const params = { email: text, limit: MAX_NAMED + 1 }
  const pages = await readEach(merchants, (id) =>
    new MerchantApi(client.address, id).list<Customer>('customers', params),
  )
  const [first, ...others] = pages.flatMap(({ data }) => data.map(({ id }) => id))
  if (first === undefined)
    throw new Failure(
      1,
      `No customer has the email address '${text}'. List the customers with 'paytwin customers list'.`,
    )
  if (others.length === 0) return first
  const named = someOf([first, ...others], MAX_NAMED)
  throw wrongUsage(`Several customers have the email address '${text}': ${named}. Give an ID.`)
}
