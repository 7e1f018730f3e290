import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import * as z from 'zod'
import { openDatabase } from '../../../src/store/database.ts'
import { groupCommit } from './group-commit.ts'
import { newSubscriptionWriter } from './new-subscription.ts'

/**
 * A bare server with the same parts as paytwin: hono, zod, better-sqlite3, and a database with the same tables, indexes and
 * settings. It has no errors, events, idempotency, expansion, versions or log. It parses a request, writes or reads the row,
 * and returns it.
 *
 * Argument: the database file. If it contains a subscription, the server can create copies of it.
 */
const [file = ''] = process.argv.slice(2)
const database = await openDatabase(file, 'normal')
const commit = groupCommit(database)

const intentParams = z.object({
  amount: z.coerce.number().int().min(1),
  currency: z.string().length(3),
  description: z.string().optional(),
})
const subscriptionParams = z.object({
  customer: z.string(),
  currency: z.string().length(3),
  default_payment_method: z.string(),
  'items[0][price]': z.string(),
})

const insertIntent = database.prepare(
  `insert into payment_intent (id, merchant, created, status, amount, amount_received, currency, description, metadata)
   values (?, 1, ?, 'requires_payment_method', ?, 0, ?, ?, '{}')`,
)
const readIntent = database.prepare('select * from payment_intent where id = ?')
const readCustomer = database.prepare('select * from customer where id = ?')
let made = 0

const app = new Hono()
app.post('/v1/payment_intents', async (c) => {
  const { amount, currency, description = null } = intentParams.parse(await form(c.req))
  const created = Math.floor(Date.now() / 1_000)
  made += 1
  const id = `pi_${String(made).padStart(14, '0')}`
  await commit(() => insertIntent.run(id, created, amount, currency, description))
  const object = 'payment_intent'
  return c.json(
    { id, object, created, status: 'requires_payment_method', amount, currency, description },
    201,
  )
})
app.get('/v1/payment_intents/:id', (c) => c.json(readIntent.get(c.req.param('id')) as object))
if (database.prepare('select 1 from subscription').get()) {
  const writeSubscription = newSubscriptionWriter(database)
  app.post('/v1/subscriptions', async (c) => {
    const { customer } = subscriptionParams.parse(await form(c.req))
    const write = () => {
      if (!readCustomer.get(customer)) throw new Error(`there is no customer ${customer}`)
      return writeSubscription(customer)
    }
    return c.json(await commit(write), 201)
  })
}

const form = async (request: { text(): Promise<string> }) =>
  Object.fromEntries(new URLSearchParams(await request.text()))

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
process.once('SIGTERM', () => {
  server.close()
  database.close()
  process.exit()
})
