import { Argument, type Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { MerchantApi } from '../../client/merchant-api.ts'
import { readEach } from '../../client/read-each.ts'
import type { List } from '../../client/types.ts'
import { assert } from '../../core/errors.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'

type Identified = { readonly id: string }

/** IDs and names of snapshots. Other text is dropped, because a shell could run it as a command. */
const WORD = /^[\w.-]+$/
/** The maximum number of IDs per merchant: one page. */
const limit = 100

/** The lists of the admin API. */
const LISTS: Readonly<Record<string, (client: Client) => Promise<List<Identified>>>> = {
  keys: (client) => client.keys(),
  merchants: (client) => client.merchants(),
  events: (client) => client.events({ limit }),
  apps: (client) => client.apps(),
  authorizations: (client) => client.authorizations({ limit }),
  faults: (client) => client.faults(),
  snapshots: (client) => client.snapshots(),
}

/** The lists of /v1, with their paths. */
const RESOURCES: Readonly<Record<string, string>> = {
  customers: 'customers',
  subscriptions: 'subscriptions?status=all',
  invoices: 'invoices',
  credit_notes: 'credit_notes',
  coupons: 'coupons',
  promotion_codes: 'promotion_codes',
  meters: 'billing/meters',
  payment_intents: 'payment_intents',
  charges: 'charges',
  refunds: 'refunds',
  disputes: 'disputes',
  products: 'products',
  prices: 'prices',
  webhooks: 'webhook_endpoints',
}

/** `paytwin ids`, which the completion scripts call. */
export function idsCommand(program: Command, io: Io): void {
  const kind = new Argument('<KIND>', 'what to list').choices([
    ...Object.keys(RESOURCES),
    ...Object.keys(LISTS),
  ])
  addVerb(program, io, {
    usage: 'ids',
    about:
      'Print the newest IDs of a kind, one per line: up to 100 of each merchant. Shell completion uses it.',
    takes: kind,
    examples: ['paytwin ids subscriptions', 'paytwin ids prices --json'],
    run: async ({ client, out }, _options, [name = '']) => {
      const lists = await listsOf(client, name)
      const data = lists.flatMap((list) => list.data.flatMap(({ id }) => (WORD.test(id) ? { id } : [])))
      if (out.isJson)
        out.json({ object: 'list', url: '/_paytwin/ids', has_more: false, data, livemode: false })
      else for (const { id } of data) out.line(id)
    },
  })
}

async function listsOf(client: Client, name: string): Promise<readonly List<Identified>[]> {
  const path = RESOURCES[name]
  const list = LISTS[name]
  if (list) return [await list(client)]
  assert(path, 'commander has checked the kind')
  const { data } = await client.merchants()
  return readEach(data, ({ id }) => new MerchantApi(client.address, id).list<Identified>(path, { limit }))
}
