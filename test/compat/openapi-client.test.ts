import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Loopback, startLoopback } from './loopback.ts'
import {
  beRefused,
  connect,
  countInvoices,
  createTwice,
  fillDraft,
  invoicesOf,
  keepCustomer,
  liveThrough,
  payByHand,
  payerOf,
  refundPart,
  subscribe,
  walk,
} from './main-job.ts'

const PROGRAM = fileURLToPath(new URL('main-job.ts', import.meta.url))
const TYPES = fileURLToPath(new URL('../../node_modules/@types', import.meta.url))

let loopback: Loopback
let baseUrl: string
let api: ReturnType<typeof connect>
beforeAll(async () => {
  loopback = await startLoopback()
  baseUrl = `http://127.0.0.1:${loopback.port}`
  api = connect({ baseUrl, secretKey: loopback.twin.secretKey })
})
afterAll(() => loopback.close())

describe('the types that openapi-typescript makes of /openapi.json', () => {
  let folder: string
  let complaints: readonly string[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paytwin-compat-'))
    const description = await fetch(`${baseUrl}/openapi.json`)
    await writeFile(join(folder, 'paytwin-api.ts'), astToString(await openapiTS(await description.text())))
    const wrong = join(folder, 'wrong.ts')
    await writeFile(wrong, WRONG)
    complaints = (await compilerOutput(folder, PROGRAM, wrong)).split('\n').filter((line) => line !== '')
  })
  afterAll(() => rm(folder, { recursive: true }))

  const isOfWrong = (line: string) => line.includes('wrong.ts(')

  test('accept a program that does the main job', () => {
    expect(complaints.filter((line) => !isOfWrong(line))).toEqual([])
  })

  test('accept no parameter, path or field that the service does not have', () => {
    expect(complaints.filter(isOfWrong)).toEqual([])
  })
})

/** Every line after an expectation is a mistake; one that the types accept is an unused expectation. */
const WRONG = `
import { connect } from ${JSON.stringify(PROGRAM)}
const api = connect({ baseUrl: '', secretKey: '' })
const params = { path: { id: 'sub_1' } }
// @ts-expect-error: no such path
await api.GET('/v1/zebras', {})
// @ts-expect-error: the amount is missing
await api.POST('/v1/payment_intents', { body: { currency: 'usd' } })
// @ts-expect-error: the amount is no number
await api.POST('/v1/payment_intents', { body: { amount: '900', currency: 'usd' } })
// @ts-expect-error: no such interval
await api.POST('/v1/prices', { body: { unit_amount: 1, currency: 'usd', recurring: { interval: 'fortnight' } } })
// @ts-expect-error: no such filter
await api.GET('/v1/invoices', { params: { query: { colour: 'red' } } })
const { data } = await api.GET('/v1/subscriptions/{id}', { params })
// @ts-expect-error: no such field
data?.stripes
// @ts-expect-error: no such status
data?.status === 'asleep'
`

describe('a client made of them', () => {
  test('keeps a customer', async () => {
    const { name, email, metadata } = await keepCustomer(api)
    expect({ name, email, metadata }).toEqual({
      name: 'Ada',
      email: 'ada@example.com',
      metadata: { team: 'core' },
    })
  })

  test('subscribes, lives through a declined renewal, recovers and cancels', async () => {
    const { id, status } = await subscribe(api, ['succeed', 'decline:insufficient_funds'])
    expect(status).toBe('active')
    expect(await liveThrough(api, id)).toEqual(['past_due', 'active', 'canceled'])
    expect(await invoicesOf(api, id)).toEqual(['paid: 4000 after 2', 'paid: 4000 after 1'])
  })

  test('reads whole objects in place of ids, and filters by time', async () => {
    const { id, created } = await subscribe(api, ['succeed'])
    expect(await payerOf(api, id)).toEqual({ name: 'Grace', last4: '4242' })
    expect(await countInvoices(api, { gte: created, lt: created + 1 })).toBe(1)
    expect(await countInvoices(api, { gte: created + 1, lt: created + 2 })).toBe(0)
    expect(await countInvoices(api, created)).toBe(1)
    expect(await countInvoices(api, created + 1)).toBe(0)
  })

  test('pays an invoice after the first card was declined', async () => {
    const { id, status } = await subscribe(api, ['decline:lost_card'])
    expect(status).toBe('incomplete')
    expect(await payByHand(api, id)).toMatchObject({ status: 'active' })
  })

  test('fills a draft with an item that names it', async () => {
    const { id } = await keepCustomer(api)
    expect(await fillDraft(api, id)).toMatchObject({ status: 'open', total: 900, amount_due: 900 })
  })

  test('refunds a part of a payment', async () => {
    expect(await refundPart(api)).toMatchObject({ amount: 1500, amount_refunded: 400, refunded: false })
  })

  test('gets typed errors', async () => {
    expect(await beRefused(api)).toMatchObject([
      { status: 402, type: 'payment_error', code: 'card_declined', param: null },
      { status: 404, type: 'invalid_request_error', code: 'resource_missing', param: 'id' },
    ])
  })

  test('makes one object of two calls with one idempotency key', async () => {
    const { ids, isReplayed } = await createTwice(api)
    expect(ids[1]).toBe(ids[0])
    expect(isReplayed).toBe(true)
  })

  test('walks over more than a hundred objects', async () => {
    const names = Array.from({ length: 105 }, (_, n) => `Customer ${n}`)
    const email = 'many@example.com'
    for (const name of names) await loopback.twin.post('/v1/customers', { email, name })
    expect(await walk(api, email)).toEqual(names.reverse())
  })
})

/** Returns the errors of the TypeScript compiler for programs with the types in a folder. */
async function compilerOutput(folder: string, ...programs: readonly string[]): Promise<string> {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2024'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    typeRoots: [TYPES],
    types: ['node'],
    paths: { 'paytwin-api': ['./paytwin-api.ts'] },
  }
  const project = join(folder, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, files: programs }))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve(error && stdout === '' ? stderr || error.message : stdout),
    )
  })
}
