import type { Body } from '../../twin.ts'
import type { Dice } from '../dice.ts'
import type { Command } from './commands.ts'
import type { Story } from './story.ts'

const post = (path: string, params: Body = {}) => ({ method: 'POST', path, params })

const anyInvoice = async (story: Story, dice: Dice, ...statuses: string[]): Promise<Body | undefined> =>
  dice.any((await story.list('/v1/invoices')).filter(({ status }) => statuses.includes(status)))

export const createInvoice: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  if (!customer) return null
  return post('/v1/invoices', {
    customer: customer.id,
    pending_invoice_items_behavior: dice.of(['include', 'exclude']),
    ...(dice.chance(50) && { auto_advance: dice.chance(50) }),
    ...(dice.chance(30) && { collection_method: 'send_invoice', days_until_due: dice.of([0, 10]) }),
  })
}

/** Creates an invoice item that is on a draft, waits for a subscription, or waits for the next invoice. */
export const createItem: Command = async (story, dice) => {
  const draft = await anyInvoice(story, dice, 'draft')
  const subscription = dice.any(await story.list('/v1/subscriptions'))
  const customer = dice.any(await story.list('/v1/customers'))
  const target = dice.of<Body | null>([
    draft ? { customer: draft.customer, invoice: draft.id } : null,
    subscription ? { customer: subscription.customer, subscription: subscription.id } : null,
    customer ? { customer: customer.id } : null,
  ])
  const amount = dice.of([-1500, -1, 0, 1, 450, 10_000])
  return target ? post('/v1/invoiceitems', { ...target, amount, currency: 'usd' }) : null
}

export const changeInvoiceItem: Command = async (story, dice) => {
  const item = dice.any(await story.list('/v1/invoiceitems'))
  if (!item) return null
  return dice.chance(40)
    ? { method: 'DELETE', path: `/v1/invoiceitems/${item.id}` }
    : post(`/v1/invoiceitems/${item.id}`, { amount: dice.of([-50, 300]) })
}

export const updateInvoice: Command = async (story, dice) => {
  const draft = await anyInvoice(story, dice, 'draft')
  if (!draft) return null
  const change = dice.of<Body>([
    { auto_advance: dice.chance(50) },
    { description: dice.of(['Thanks', '']) },
    { metadata: { n: dice.below(9) } },
  ])
  return post(`/v1/invoices/${draft.id}`, change)
}

export const finalize: Command = async (story, dice) => {
  const draft = await anyInvoice(story, dice, 'draft')
  return draft ? post(`/v1/invoices/${draft.id}/finalize`) : null
}

export const pay: Command = async (story, dice) => {
  const found = await anyInvoice(story, dice, 'open', 'uncollectible', ...(dice.chance(20) ? ['draft'] : []))
  if (!found) return null
  const methods = await story.list(`/v1/payment_methods?customer=${found.customer}`).catch(() => [])
  return post(`/v1/invoices/${found.id}/pay`, {
    ...(dice.chance(50) && { payment_method: dice.any(methods)?.id }),
  })
}

/** Ends an invoice without a payment, or sends it. */
export const endInvoice: Command = async (story, dice) => {
  const found = await anyInvoice(story, dice, 'open', 'draft', 'uncollectible')
  if (!found) return null
  return dice.chance(15)
    ? { method: 'DELETE', path: `/v1/invoices/${found.id}` }
    : post(`/v1/invoices/${found.id}/${dice.of(['void', 'mark_uncollectible', 'send'])}`)
}

export const preview: Command = async (story, dice) => {
  const found = dice.any(await story.list('/v1/subscriptions'))
  const item: Body | undefined = found && dice.any(found.items.data)
  if (!found || !item) return null
  const items = [{ id: item.id, quantity: dice.between(1, 9) }]
  return post('/v1/invoices/create_preview', {
    subscription: found.id,
    ...(dice.chance(60) && { subscription_details: { items } }),
  })
}

/** Confirms or cancels an intent, or completes the authentication that it waits for. */
export const actOnIntent: Command = async (story, dice) => {
  const all = await story.list('/v1/payment_intents')
  const waiting = all.filter(({ status }) => !['succeeded', 'canceled'].includes(status))
  const intent = dice.any(waiting)
  if (!intent) return null
  if (intent.status === 'requires_action' && dice.chance(70))
    return post(`/v1/test_helpers/payment_intents/${intent.id}/settle`, {
      outcome: dice.of(['succeed', 'succeed', 'fail']),
    })
  if (dice.chance(15)) return post(`/v1/payment_intents/${intent.id}/cancel`)
  const payment_method = dice.of(['pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined'])
  return post(`/v1/payment_intents/${intent.id}/confirm`, {
    payment_method,
    return_url: 'https://example.com/',
  })
}

export const createIntent: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  return post('/v1/payment_intents', {
    ...{ amount: dice.of([50, 1999, 10_000]), currency: 'usd', customer: customer?.id },
    ...(dice.chance(60) && {
      ...{ confirm: true, return_url: 'https://example.com/' },
      payment_method: dice.of(['pm_card_visa', 'pm_card_chargeDeclined', 'pm_card_authenticationRequired']),
    }),
  })
}

/** Creates a setup intent, or completes one. */
export const setUp: Command = async (story, dice) => {
  const all = await story.list('/v1/setup_intents')
  const waiting = dice.any(all.filter(({ status }) => status.startsWith('requires_')))
  if (waiting?.status === 'requires_action')
    return post(`/v1/test_helpers/setup_intents/${waiting.id}/settle`, {
      outcome: dice.of(['succeed', 'fail']),
    })
  const payment_method = dice.of(['pm_card_visa', 'pm_card_authenticationRequiredOnSetup'])
  if (waiting && dice.chance(70))
    return post(`/v1/setup_intents/${waiting.id}/confirm`, {
      payment_method,
      return_url: 'https://example.com/',
    })
  const customer = dice.any(await story.list('/v1/customers'))
  return post('/v1/setup_intents', { customer: customer?.id })
}

export const refund: Command = async (story, dice) => {
  const charges = await story.list('/v1/charges')
  const charge = dice.any(charges.filter(({ status }) => status === 'succeeded'))
  if (!charge) return null
  return post('/v1/refunds', {
    ...{ charge: charge.id, reason: 'requested_by_customer' },
    ...(dice.chance(60) && { amount: dice.between(1, charge.amount) }),
  })
}

/** Credits a part of an invoice, or all of it. What was paid is refunded, kept for the customer, or returned elsewhere. */
export const creditInvoice: Command = async (story, dice) => {
  const invoice = await anyInvoice(story, dice, 'open', 'paid')
  if (!invoice) return null
  const line: Body | undefined = dice.any(invoice.lines.data)
  const amount = invoice.total > 0 ? dice.between(1, invoice.total) : 1
  const kind = dice.of(['credit_amount', 'refund_amount', 'out_of_band_amount'])
  const share = invoice.status === 'paid' ? { [kind]: amount } : {}
  return line && dice.chance(30)
    ? post('/v1/credit_notes', {
        invoice: invoice.id,
        lines: [{ type: 'invoice_line_item', invoice_line_item: line.id, amount }],
        ...share,
      })
    : post('/v1/credit_notes', { invoice: invoice.id, amount, ...share })
}

export const voidNote: Command = async (story, dice) => {
  const note = dice.any(await story.list('/v1/credit_notes'))
  return note ? post(`/v1/credit_notes/${note.id}/void`) : null
}

/** Adds lines to a draft, or updates or removes some of its lines. */
export const changeLines: Command = async (story, dice) => {
  const draft = await anyInvoice(story, dice, 'draft')
  if (!draft) return null
  const line: Body | undefined = dice.any(draft.lines.data)
  const path = `/v1/invoices/${draft.id}`
  if (!line || dice.chance(40)) {
    const waiting = dice.any(await story.list(`/v1/invoiceitems?pending=true&customer=${draft.customer}`))
    const lines = [
      { amount: dice.of([-700, 0, 250]), description: 'Added' },
      ...(waiting ? [{ invoice_item: waiting.id }] : []),
    ]
    return post(`${path}/add_lines`, { lines })
  }
  return dice.chance(50)
    ? post(`${path}/update_lines`, { lines: [{ id: line.id, amount: dice.of([-20, 80]) }] })
    : post(`${path}/remove_lines`, { lines: [{ id: line.id, behavior: dice.of(['delete', 'unassign']) }] })
}
