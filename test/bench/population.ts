import Sqlite from 'better-sqlite3'
import { KINDS } from '../../src/core/kinds.ts'
import { openSandbox, type Sandbox } from '../../src/daemon/sandbox.ts'
import { BLOCK_ROWS } from '../../src/store/blocks.ts'

const KEY = 'sk_test_51SecretSecretSecretSecretSe'
const CLOCK = 1_769_853_600
const PARALLEL = 50

// biome-ignore lint/suspicious/noExplicitAny: the script knows the shape of each response
export type ResponseBody = Record<string, any>
export type Ask = (method: string, path: string, body?: object, key?: string) => Promise<ResponseBody>
export type Opened = { readonly sandbox: Sandbox; readonly ask: Ask }

/** A sandbox with a file, and a client without a socket. */
export async function openFile(database: string): Promise<Opened> {
  const send = async () => ({ status: 200, body: 'ok' })
  const sandbox = await openSandbox({ database, clock: CLOCK, seed: '1', secretKey: KEY, send })
  const ask: Ask = async (method, path, body, key) => {
    const token = key ?? (path.startsWith('/_paytwin') ? sandbox.adminToken : KEY)
    const headers = {
      Host: 'localhost',
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
    }
    const response = await sandbox.app.request(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 300 && response.status !== 402) throw new Error(`${method} ${path}: ${text}`)
    return JSON.parse(text)
  }
  return { sandbox, ask }
}

/**
 * Fills a new file: first a few rare objects, then years of one subscription, then many subscriptions over months. A second
 * merchant has hardly any objects. Rows that an advance does not create in large numbers are copied with SQL.
 */
export async function populate(file: string, subscriptions: number, months: number): Promise<void> {
  const { sandbox, ask } = await openFile(file)
  const post = (path: string, body: object = {}) => ask('POST', path, body)
  const monthly = { unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }
  const rare = await post('/v1/prices', { ...monthly, lookup_key: 'rare' })
  await rarities(post, rare)
  await longLife(post, rare)
  await post('/_paytwin/merchants', { name: 'Small', clock: CLOCK })
  const common = await post('/v1/prices', monthly)
  const subscribe = async () => {
    const customer = await post('/v1/customers', { name: 'Many' })
    await post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price: common.id }],
    })
  }
  for (let made = 0; made < subscriptions; made += PARALLEL)
    await Promise.all(Array.from({ length: PARALLEL }, subscribe))
  await post('/v1/webhook_endpoints', { url: 'http://localhost:1/', enabled_events: ['refund.failed'] })
  await post('/v1/test_helpers/clock/advance', { by: `${months}mo` })
  const [old] = (await ask('GET', '/v1/customers?email=old@example.com')).data
  const [event] = (await ask('GET', `/_paytwin/events?merchant=${old.merchant_id}&object=${old.id}`)).data
  await sandbox.close()
  copyByHand(file, event.id)
}

type Post = (path: string, body?: object) => Promise<ResponseBody>

async function rarities(post: Post, price: ResponseBody): Promise<void> {
  const product = await post('/v1/products', { name: 'Gone', active: false })
  await post('/v1/prices', { unit_amount: 1, currency: 'brl', product: product.id, active: false })
  const customer = await post('/v1/customers', { email: 'rare@example.com' })
  for (const method of ['pm_pix', 'pm_card_visa'])
    await post(`/v1/payment_methods/${method}/attach`, { customer: customer.id })
  const fresh = { customer: customer.id, currency: 'usd', items: [{ price: price.id }] }
  const visa = { ...fresh, default_payment_method: 'pm_card_visa' }
  await post('/v1/subscriptions', visa)
  await post('/v1/subscriptions', { ...fresh, collection_method: 'send_invoice', days_until_due: 5 })
  await post('/v1/subscriptions', { ...visa, trial_period_days: 700 })
  await post('/v1/subscriptions', { ...fresh, default_payment_method: 'pm_card_chargeDeclined' })
  const intent = await post('/v1/payment_intents', {
    amount: 500,
    currency: 'usd',
    customer: customer.id,
    payment_method: 'pm_card_visa',
    confirm: true,
  })
  await post('/v1/refunds', { charge: intent.latest_charge })
  for (const action of ['finalize', 'void', 'mark_uncollectible']) {
    await post('/v1/invoiceitems', { customer: customer.id, amount: 700, currency: 'usd' })
    const made = await post('/v1/invoices', { customer: customer.id })
    if (action !== 'finalize') await post(`/v1/invoices/${made.id}/finalize`)
    await post(`/v1/invoices/${made.id}/${action}`)
  }
  await post('/v1/invoices', { customer: customer.id, currency: 'usd' })
}

/** Creates a subscription of many years, on a test clock. */
async function longLife(post: Post, price: ResponseBody): Promise<void> {
  const path = '/v1/test_helpers/test_clocks'
  const clock = await post(path, { frozen_time: CLOCK })
  const customer = await post('/v1/customers', { email: 'old@example.com', test_clock: clock.id })
  await post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: price.id }],
  })
  for (let years = 0; years < 30; years += 1) await post(`${path}/${clock.id}/advance`, { by: '1y' })
}

/** Copies rows that an advance does not create in large numbers. @param event - the event of the copied deliveries */
function copyByHand(file: string, event: string): void {
  const database = new Sqlite(file)
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  database.exec(`${numbers(100_000)} insert into price (id, merchant, created, unit_amount, currency, active, metadata)
    select 'price_copy' || i, 1, ${CLOCK}, 100, 'usd', 1, '{}' from n`)
  database.exec(`${numbers(100_000)} insert into product (id, merchant, created, name, active, metadata)
    select 'prod_copy' || i, 1, ${CLOCK}, 'Copy', 1, '{}' from n`)
  database.exec(`${numbers(100_000)} insert into customer (id, merchant, created, metadata, invoice_prefix,
    next_invoice_number, delinquent, deleted) select 'cus_copy' || i, 1, ${CLOCK}, '{}', 'COPY' || i, 1, 0, 1 from n`)
  database.exec(`${numbers(100_000)} insert into clock (id, merchant, created, is_test, deleted, mode, now, "offset")
    select 'clock_copy' || i, 1, ${CLOCK}, 1, 1, 'frozen', ${CLOCK}, 0 from n`)
  database.exec(`${numbers(300_000)} insert into webhook_delivery (id, merchant, created, event, endpoint, status,
    attempts, attempt_count, is_ready) select 'wd_copy' || i, 1, ${CLOCK}, '${event}',
    (select id from webhook_endpoint where merchant = 1), 'succeeded', '[]', 1, 0 from n`)
  database.exec(`${numbers(100_000)} insert into subscription (id, merchant, created, status, customer, currency,
    collection_method, items, start_date, billing_cycle_anchor, current_period_start, current_period_end,
    missing_payment_method, cancel_at_period_end, metadata) select 'sub_copy' || i, 1, ${CLOCK}, 'canceled',
    'cus_copy' || i, 'usd', 'charge_automatically', '[]', 0, 0, 0, 0, 'cancel', 0, '{}' from n`)
  // The store does this for each row that it adds.
  for (const table of ['price', 'product', 'customer', 'subscription'] as const) {
    const kind = KINDS.indexOf(table)
    database.exec(`replace into block select ${kind}, merchant, seq / ${BLOCK_ROWS}, min(created), max(created), 0
      from ${table} where seq < ((select max(seq) from ${table}) + 1) / ${BLOCK_ROWS} * ${BLOCK_ROWS}
      group by merchant, seq / ${BLOCK_ROWS}`)
  }
  database.close()
}
