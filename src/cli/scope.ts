import type { Client } from '../client/client.ts'
import type { Merchant } from '../client/types.ts'
import { someOf } from '../text/some-of.ts'
import { Failure, wrongUsage } from './failure.ts'

/**
 * Returns the named merchant, or the only one.
 * @param advice - how to choose if there are several, as the end of a sentence
 * @throws Failure 2 with the list of merchants if there are several and none is named
 * See docs/contract/command-line.md#clock-commands.
 */
export async function resolveMerchant(
  client: Client,
  named: string | undefined,
  advice = 'choose one with --merchant',
): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.merchants()
  const [first, ...others] = data
  if (!first) throw new Failure(1, "There is no merchant. Create one with 'paytwin merchants create'.")
  if (others.length > 0)
    throw wrongUsage(`There are ${data.length} merchants (${nameSome(data)}): ${advice}.`)
  return first.id
}

/** The maximum number of merchants that an error lists. */
const MAX_NAMED = 10

const nameSome = (merchants: readonly Merchant[]): string =>
  someOf(
    merchants.map(({ id, name }) => `${id} ${name}`),
    MAX_NAMED,
  )
