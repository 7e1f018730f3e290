import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { plain, type SignedIn, signIn, url } from './support.ts'

let twin: Twin
let browser: SignedIn
let failed: string
let empty: Twin
let emptyBrowser: SignedIn
beforeAll(async () => {
  twin = await startTwin({ url })
  const price = await makePrice(twin)
  const subscribe = async (outcomes: string[]) => {
    const { customer, method } = await makeCustomer(twin, { outcomes })
    const params = { customer: customer.id, currency: 'usd', items: [{ price: price.id }] }
    return twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
  }
  for (let index = 0; index < 27; index += 1) await subscribe(['succeed'])
  const last = await subscribe(['succeed', 'decline:expired_card'])
  failed = last.customer
  await twin.post(`/v1/customers/${failed}`, { email: 'late@example.com' })
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  browser = await signIn(twin)
  empty = await startTwin({ url })
  emptyBrowser = await signIn(empty)
})
afterAll(() => Promise.all([twin.close(), empty.close()]))

const rowsOf = (page: string): string[] =>
  [...page.slice(page.indexOf('<tbody')).matchAll(/<a class="id" href="[^"]*\/(\w+)"/g)].map(
    ([, id = '']) => id,
  )
const linkOf = (page: string, text: string): string | undefined =>
  new RegExp(`href="[^"]*(/\\w+\\?[^"]*)">${text}<`).exec(page)?.[1]?.replaceAll('&amp;', '&')

test.each(['customers', 'subscriptions', 'invoices', 'payments'])(
  'the list of %s has pages of 25, newest first, and leads back',
  async (section) => {
    const first = await browser.show(`/${section}`)
    const rows = rowsOf(first.text)
    expect(rows).toHaveLength(25)
    expect(linkOf(first.text, 'Newer')).toBeUndefined()
    const older = await browser.show(linkOf(first.text, 'Older'))
    expect(rowsOf(older.text).length).toBeGreaterThan(0)
    expect(rowsOf(older.text)).not.toContain(rows[0])
    const back = await browser.show(linkOf(older.text, 'Newer'))
    expect(rowsOf(back.text)).toEqual(rows)
  },
)

test('the last page has no older one', async () => {
  const { text } = await browser.show('/customers')
  const older = await browser.show(linkOf(text, 'Older'))
  expect(rowsOf(older.text)).toHaveLength(3)
  expect(linkOf(older.text, 'Older')).toBeUndefined()
})

test('lists are filtered by status, and keep the filter on the next page', async () => {
  const { text } = await browser.show('/subscriptions?status=past_due')
  expect(rowsOf(text)).toHaveLength(1)
  expect(text).toContain('<option value="past_due" selected="">')
  expect(plain(text)).toContain('1 matching subscription on this page')
  const paid = await browser.show('/invoices?status=paid')
  expect(linkOf(paid.text, 'Older')).toMatch(/^\/invoices\?status=paid&after=in_/)
})

test.each(['subscriptions', 'invoices', 'payments'])(
  '%s are searched by customer, with ID, email or a part of the name',
  async (section) => {
    const byId = rowsOf((await browser.show(`/${section}?search=${failed}`)).text)
    expect(byId).toHaveLength(section === 'subscriptions' ? 1 : 2)
    expect(rowsOf((await browser.show(`/${section}?search=LATE@example`)).text)).toEqual(byId)
    const nobody = await browser.show(`/${section}?search=nobody@example.com`)
    expect(rowsOf(nobody.text)).toEqual([])
    expect(nobody.text).toContain('Nothing matches.')
  },
)

test('customers are searched by a part of the email, and by words of the name in any order', async () => {
  const search = async (text: string) => rowsOf((await browser.show(`/customers?search=${text}`)).text)
  expect(await search('late@example.com')).toEqual([failed])
  await twin.post(`/v1/customers/${failed}`, { name: 'Maria 100% López' })
  for (const text of ['maria', 'López maria', '100%25']) expect(await search(text)).toEqual([failed])
  for (const text of ['maria ada', '1_0', '_', 'cus_none']) expect(await search(text)).toEqual([])
  expect((await browser.show('/customers?search=ada')).text).toContain('?search=ada&amp;after=cus_')
})

test('invoices are searched by number, and related objects by an ID', async () => {
  const [invoice] = (await twin.get(`/v1/invoices?customer=${failed}&status=open`)).data
  const search = async (path: string) => rowsOf((await browser.show(path)).text)
  expect(await search(`/invoices?search=${invoice.number.toLowerCase()}`)).toEqual([invoice.id])
  expect(await search(`/invoices?search=${invoice.subscription}`)).toHaveLength(2)
  expect(await search(`/customers?search=${invoice.id}`)).toEqual([failed])
  expect(await search(`/subscriptions?search=${invoice.id}`)).toEqual([invoice.subscription])
  expect(await search(`/payments?search=${invoice.id}`)).toEqual([invoice.payment_intent])
  expect(await search('/invoices?search=late@&status=paid')).not.toContain(invoice.id)
  expect(await search('/invoices?search=late@&status=open')).toEqual([invoice.id])
})

test('an empty field of the filter form is no filter', async () => {
  expect(rowsOf((await browser.show('/invoices?status=&search=')).text)).toHaveLength(25)
})

test.each([
  '/subscriptions?status=nonsense',
  '/invoices?after=in_none',
  '/payments?search=ada&before=pi_none',
  `/customers?search=${'x'.repeat(201)}`,
])('the page %s shows the error', async (path) => {
  const { status, text } = await browser.show(path)
  expect([400, 404]).toContain(status)
  expect(text).toContain('role="alert"')
})

test.each([
  ['', 'No subscriptions. Subscribe a customer'],
  ['/customers', 'No customers yet. Create one'],
  ['/subscriptions', 'No subscriptions yet. Subscribe a customer'],
  ['/invoices', 'No invoices yet. Subscriptions and the API create them.'],
  ['/payments', 'No payments yet. Invoices that are charged'],
  ['/events', 'No events yet. Every change of an object'],
  ['/mail', 'This merchant has paytwin’s own API.'],
  ['/webhooks', 'No endpoints. Create one below, or run paytwin listen'],
  ['/requests', 'No requests yet. Requests that an application sends to http://localhost:4242/v1'],
])('without data, the page %s says how to create some', async (path, said) => {
  const { status, text } = await emptyBrowser.show(path)
  expect([status, plain(text)]).toEqual([200, expect.stringContaining(said)])
})
