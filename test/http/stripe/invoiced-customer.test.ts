import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const FIRST = { name: 'First Name', email: 'first@example.com', tax_exempt: 'exempt' } as const
const LATER = { name: 'Later Name', email: 'later@example.com', tax_exempt: 'reverse' } as const

/** Makes a draft of a customer. */
async function makeDraft(given: Stripe.CustomerCreateParams) {
  const { id: customer } = await stripe.customers.create(given)
  const { id: invoice } = await stripe.invoices.create({ customer })
  await stripe.invoiceItems.create({ customer, invoice, amount: 500, currency: 'usd' })
  return { customer, invoice }
}

const detailsOf = ({ customer_name, customer_email, customer_tax_exempt }: Stripe.Invoice) => ({
  name: customer_name,
  email: customer_email,
  tax_exempt: customer_tax_exempt,
})

const shownBy = async (invoice: string) => detailsOf(await stripe.invoices.retrieve(invoice))

/** Lists what the events of an invoice show, oldest first. */
async function shownByEvents(invoice: string) {
  const { data } = await stripe.events.list({ limit: 100 })
  const ofInvoice = data.filter(({ data: { object } }) => 'id' in object && object.id === invoice)
  return ofInvoice
    .map(({ type, data: { object } }) => [type, detailsOf(object as Stripe.Invoice)] as const)
    .reverse()
}

describe('what an invoice shows of its customer', () => {
  test('follows the customer of a draft, and stays as it was at the finalization', async () => {
    const { customer, invoice } = await makeDraft({ name: 'Draft Name' })
    await stripe.customers.update(customer, FIRST)
    expect(await shownBy(invoice)).toEqual(FIRST)
    await stripe.invoices.finalizeInvoice(invoice)
    await stripe.customers.update(customer, LATER)
    expect(await shownBy(invoice)).toEqual(FIRST)
    expect((await stripe.invoices.list({ customer })).data.map(detailsOf)).toEqual([FIRST])
    await stripe.invoices.pay(invoice, { paid_out_of_band: true })
    await stripe.customers.del(customer)
    expect(await shownBy(invoice)).toEqual(FIRST)
  })

  test('includes the postal address and the phone', async () => {
    const address = { line1: '1 Main St', city: 'Berlin', country: 'DE' }
    const { customer, invoice } = await makeDraft({ address, phone: '+49 30 1' })
    await stripe.invoices.finalizeInvoice(invoice)
    await stripe.customers.update(customer, { address: { line1: '2 Main St' }, phone: '' })
    const { customer_address, customer_phone } = await stripe.invoices.retrieve(invoice)
    expect(customer_address).toMatchObject(address)
    expect(customer_phone).toBe('+49 30 1')
  })

  test('is the same in its events', async () => {
    const { customer, invoice } = await makeDraft({ name: 'Draft Name' })
    await stripe.customers.update(customer, FIRST)
    await stripe.invoices.finalizeInvoice(invoice)
    await stripe.customers.update(customer, LATER)
    await stripe.invoices.update(invoice, { metadata: { team: 'core' } })
    const shown = new Map(await shownByEvents(invoice))
    expect(shown.get('invoice.created')).toEqual({ name: 'Draft Name', email: null, tax_exempt: 'none' })
    expect(shown.get('invoice.finalized')).toEqual(FIRST)
    expect(shown.get('invoice.updated')).toEqual(FIRST)
  })

  test('stays unknown if it was unknown', async () => {
    const { customer, invoice } = await makeDraft({})
    await stripe.invoices.finalizeInvoice(invoice)
    await stripe.customers.update(customer, LATER)
    expect(await shownBy(invoice)).toEqual({ name: null, email: null, tax_exempt: 'none' })
  })

  test('is the same on its page, with the address', async () => {
    const address = { line1: 'First Street 1', country: 'DE' }
    const { customer, invoice } = await makeDraft({ ...FIRST, phone: '111', address })
    const { hosted_invoice_url } = await stripe.invoices.finalizeInvoice(invoice)
    const later = { ...LATER, phone: '222', address: { line1: 'Later Road 2', country: 'FR' } }
    await stripe.customers.update(customer, later)
    const headers = { Host: 'localhost' }
    const page = await sdk.twin.sandbox.app.request(String(hosted_invoice_url), { headers })
    // The form below has the name of the person who pays now.
    const [, party] = /Bill to([\s\S]*?)<\/dd>/.exec(await page.text()) ?? []
    const shown = party?.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(shown?.trim()).toBe('First Name First Street 1 Germany 111 first@example.com')
  })
})
