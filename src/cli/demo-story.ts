import type { Event, Summary } from '../client/types.ts'
import { formatAmount } from '../core/money.ts'
import { counted } from '../text/display.ts'
import type { MerchantApi } from './demo-api.ts'
import { timeline } from './demo-timeline.ts'
import type { Output } from './output.ts'

/** A customer of the demo, and the outcomes of its card: first those in the list, in order, then `afterwards` every time. */
type Character = {
  readonly name: string
  readonly title: string
  readonly outcomes: readonly string[]
  readonly afterwards: string
}

const DECLINED = 'decline:insufficient_funds'

const CHARACTERS: readonly Character[] = [
  { name: 'Ada', title: "Ada's card always works", outcomes: [], afterwards: 'succeed' },
  {
    name: 'Ben',
    title: "Ben's card fails at the second renewal, and recovers at the second retry",
    // The first payment, the first renewal, the second renewal and its first retry.
    outcomes: ['succeed', 'succeed', DECLINED, DECLINED],
    afterwards: 'succeed',
  },
  {
    name: 'Cleo',
    title: "Cleo's card works once, and never again",
    outcomes: ['succeed'],
    afterwards: DECLINED,
  },
]

const AMOUNT = 2000
const CURRENCY = 'usd'

/** Creates the customers, advances the clock by six months, and prints each customer's timeline. */
export async function runStory(api: MerchantApi, out: Output): Promise<void> {
  const price = await api.post('/v1/prices', {
    unit_amount: AMOUNT,
    currency: CURRENCY,
    recurring: { interval: 'month' },
  })
  const customers: string[] = []
  for (const character of CHARACTERS) customers.push(await subscribe(api, character, price.id))

  const cost = formatAmount(AMOUNT, CURRENCY)
  out.line({ text: `Three customers subscribe on 31 January 2026, for ${cost} a month.`, colour: 'bold' })
  const begun = performance.now()
  const { summary } = await api.post<{ summary: Summary }>('/v1/test_helpers/clock/advance', { by: '6mo' })
  const took = Math.ceil(performance.now() - begun)
  out.line(`Their clock goes forward by six months: ${counted(summary.events, 'event')} in ${took} ms.`)

  const events = await api.events()
  for (const [index, { title }] of CHARACTERS.entries()) {
    out.line()
    out.line({ text: title, colour: 'bold' })
    out.line()
    timeline(
      events.filter((event) => isOf(event, customers[index])),
      out,
    )
  }
}

/** @returns the customer's id */
async function subscribe(api: MerchantApi, character: Character, price: string): Promise<string> {
  const { name, outcomes, afterwards } = character
  const customer = await api.post('/v1/customers', { name, email: `${name.toLowerCase()}@example.com` })
  const card = await api.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  await api.post(`/v1/test_helpers/payment_methods/${card.id}/outcomes`, {
    outcomes,
    // biome-ignore lint/suspicious/noThenProperty: the API's name, and never a function
    then: afterwards,
  })
  await api.post('/v1/subscriptions', {
    customer: customer.id,
    currency: CURRENCY,
    default_payment_method: card.id,
    items: [{ price }],
  })
  return customer.id
}

const isOf = ({ data: { object } }: Event, customer: string | undefined): boolean =>
  object.customer === customer
