import type { Client } from '../client/client.ts'
import type { Merchant } from '../client/types.ts'
import { Failure, wrongUsage } from './failure.ts'

/**
 * The merchant that is meant: the one that is named, else the only one there is.
 * @param advice - what the caller can do when there are several, as the end of a sentence
 * @throws Failure 2, naming the merchants, when there are several
 * See docs/contract/command-line.md#clock-commands.
 */
export async function meantMerchant(
  client: Client,
  named: string | undefined,
  advice = 'say which one with --merchant',
): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.merchants()
  const [first, ...others] = data
  if (!first) throw new Failure(1, "There is no merchant. Make one with 'paytwin merchants create'.")
  if (others.length > 0) throw wrongUsage(`There are ${data.length} merchants (${nameAll(data)}): ${advice}.`)
  return first.id
}

const nameAll = (merchants: readonly Merchant[]): string =>
  merchants.map(({ id, name }) => `${id} ${name}`).join(', ')
