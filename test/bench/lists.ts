import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ask, openFile, populate, type ResponseBody } from './population.ts'

/**
 * Measures each list with a database of a million events: `npm run bench:lists [-- file]`. An existing file is used
 * unchanged. A new file is filled first, which takes some minutes.
 */
const [file = join(tmpdir(), `paytwin-lists-${process.pid}.db`)] = process.argv.slice(2)
const SUBSCRIPTIONS = 40_000
const MONTHS = 4
const ROUNDS = 30

if (!existsSync(file)) await populate(file, SUBSCRIPTIONS, MONTHS)
const { sandbox, ask } = await openFile(file)
const results = []
for (const path of await paths(ask)) results.push(await time(ask, path))
console.table(results)
await sandbox.close()

async function time(asked: Ask, path: string) {
  const taken: number[] = []
  let found = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now()
    const { data } = await asked('GET', path)
    taken.push(performance.now() - started)
    found = data?.length ?? 1
    if (taken.reduce((sum, each) => sum + each) > 3000) break
  }
  taken.sort((left, right) => left - right)
  const ms = (value: number | undefined) => Number(value?.toFixed(1))
  return { path, found, median: ms(taken[taken.length >> 1]), worst: ms(taken.at(-1)) }
}

/** Every list with filters that match few of many rows, and with cursors far from the start. */
async function paths(asked: Ask): Promise<string[]> {
  const get = (path: string): Promise<ResponseBody> => asked('GET', path)
  const first = async (path: string) => (await get(path)).data[0]
  const rare = await first('/v1/customers?email=rare@example.com')
  const old = await first('/v1/customers?email=old@example.com')
  const aged = await first(`/v1/subscriptions?customer=${old.id}`)
  const price = await first('/v1/prices?lookup_key=rare')
  const [endpoint] = (await get('/v1/webhook_endpoints')).data
  const charge = await first(`/v1/charges?customer=${rare.id}`)
  const [newest] = (await get('/v1/events?limit=1')).data
  const begin = rare.created
  const deep = (await get(`/v1/invoices?customer=${rare.id}`)).data.at(-1)
  const deepCharge = (await get(`/v1/charges?customer=${rare.id}`)).data.at(-1)
  const deepEvent = (await get('/v1/events?type=refund.created&limit=1')).data.at(-1)
  const small = (await get('/_paytwin/merchants')).data.at(-1).id
  const upcoming = (await get('/v1/test_helpers/upcoming?limit=50')).data.at(-1)
  const newSubscription = await first('/v1/subscriptions?status=active&limit=1')
  const common = newSubscription.items.data[0].price.id
  return [
    '/v1/customers',
    '/v1/customers?email=rare@example.com',
    '/v1/customers?email=nobody@example.com',
    `/v1/customers?created[gt]=${newest.created}`,
    `/v1/customers?created[lt]=${begin}`,
    '/v1/products?active=false',
    '/v1/prices',
    '/v1/prices?active=false',
    '/v1/prices?currency=brl',
    '/v1/prices?lookup_key=rare',
    '/v1/prices?lookup_keys[]=rare&lookup_keys[]=other',
    `/v1/prices?product=prod_none`,
    '/v1/payment_methods?type=pix',
    `/v1/payment_methods?customer=${rare.id}&type=pix`,
    `/v1/customers/${rare.id}/payment_methods`,
    '/v1/subscriptions',
    '/v1/subscriptions?status=all',
    '/v1/subscriptions?status=trialing',
    '/v1/subscriptions?status=past_due',
    '/v1/subscriptions?status=paused',
    '/v1/subscriptions?status=ended',
    '/v1/subscriptions?collection_method=send_invoice',
    `/v1/subscriptions?customer=${rare.id}`,
    `/v1/subscriptions?customer=${rare.id}&status=trialing`,
    `/v1/subscriptions?price=${price.id}`,
    '/v1/subscriptions?price=price_none',
    `/v1/subscriptions?created[gt]=${newest.created}`,
    '/v1/invoices',
    `/v1/invoices?starting_after=${deep.id}`,
    `/v1/invoices?ending_before=${deep.id}&limit=100`,
    '/v1/invoices?status=open',
    '/v1/invoices?status=void',
    '/v1/invoices?status=draft',
    '/v1/invoices?status=uncollectible',
    `/v1/invoices?customer=${rare.id}&status=void`,
    `/v1/invoices?subscription=${aged.id}&status=open`,
    `/v1/invoices?created[gt]=${newest.created}`,
    `/v1/invoices?created[lt]=${begin}`,
    `/v1/invoices?status=paid&created[lt]=${begin}`,
    `/v1/payment_intents?customer=${rare.id}`,
    `/v1/payment_intents?created[lt]=${begin}`,
    `/v1/charges?payment_intent=${charge.payment_intent}`,
    `/v1/charges?starting_after=${deepCharge.id}`,
    `/v1/charges?created[lt]=${begin}`,
    `/v1/refunds?charge=${charge.id}`,
    `/v1/invoiceitems?customer=${rare.id}`,
    '/v1/events',
    '/v1/events?limit=100',
    '/v1/events?type=invoice.*',
    '/v1/events?type=refund.*',
    '/v1/events?type=refund.created',
    '/v1/events?type=invoice.paid&limit=100',
    '/v1/events?type=invoice.paid&type=refund.created',
    `/v1/events?type=refund.created&created[gte]=${newest.created}`,
    `/v1/events?type=invoice.paid&created[lt]=${begin}`,
    `/v1/events?created[gt]=${newest.created}`,
    `/v1/events?created[lt]=${begin}`,
    `/v1/events?created[gte]=${begin}&created[lte]=${begin}`,
    `/v1/events?starting_after=${deepEvent.id}&limit=100`,
    `/v1/events?ending_before=${deepEvent.id}&limit=100`,
    '/_paytwin/events?limit=100',
    '/_paytwin/events?type=refund.created',
    `/_paytwin/events?created[lt]=${begin}`,
    `/_paytwin/events?merchant=${small}`,
    `/_paytwin/events?merchant=${small}&type=invoice.paid`,
    `/_paytwin/events/${deepEvent.id}`,
    `/_paytwin/customers/${old.id}?limit=20`,
    `/_paytwin/subscriptions/${aged.id}?limit=20`,
    `/_paytwin/subscriptions/${aged.id}?limit=20&at=${begin + 10_000_000}`,
    `/_paytwin/invoices/${aged.latest_invoice}`,
    `/v1/webhook_endpoints/${endpoint.id}/deliveries?limit=100`,
    '/v1/test_helpers/test_clocks',
    '/v1/test_helpers/upcoming',
    `/v1/test_helpers/upcoming?starting_after=${upcoming.kind}-${upcoming.subscription}-${upcoming.due}`,
    `/v1/test_helpers/upcoming?starting_after=renewal-${newSubscription.id}-${newSubscription.current_period_end}`,
    `/v1/payment_intents?customer=${old.id}&created[lt]=${begin + 100}`,
    `/v1/subscriptions?price=${price.id}&status=trialing`,
    `/v1/subscriptions?price=${common}&collection_method=send_invoice`,
    '/v1/subscriptions?status=active&limit=100',
    `/v1/invoices?status=paid&starting_after=${deep.id}`,
    '/_paytwin/status',
    `/_paytwin/webhooks?merchant=${small}`,
  ]
}
