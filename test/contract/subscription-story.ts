import { openTwin, setFinalAction, subscribe } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { NOW, PERIOD_END } from './support.ts'

const DECLINE = 'decline:lost_card'

/** A subscription in some status, and its customer's card. */
export type Story = {
  readonly twin: Twin
  readonly subscription: Body
  readonly method: Body
}

/** The options of a story beside a subscription's parameters. */
export type Given = Body & {
  /** The outcomes of the card once the status is reached. */
  readonly afterwards?: string
  readonly final_action?: string
}

type Beginning = { readonly given?: Body; readonly final_action?: string; readonly until?: number }

const trial = { trial_period_days: 14 }
const noMethod = { default_payment_method: undefined }
const pauses = { trial_settings: { end_behavior: { missing_payment_method: 'pause' } } }

/** How a subscription gets each status. */
const BEGINNINGS: Readonly<Record<string, Beginning>> = {
  active: { given: { outcomes: ['succeed'] } },
  trialing: { given: { ...trial, outcomes: [] } },
  incomplete: { given: { outcomes: [DECLINE] } },
  past_due: { given: { outcomes: ['succeed', DECLINE] }, until: PERIOD_END },
  unpaid: {
    given: { outcomes: ['succeed', ...Array(5).fill(DECLINE)] },
    final_action: 'mark_unpaid',
    until: PERIOD_END + 7 * 86_400,
  },
  paused: { given: { ...trial, ...noMethod, ...pauses, outcomes: [] }, until: NOW + 14 * 86_400 },
  incomplete_expired: { given: { outcomes: [DECLINE], afterwards: DECLINE }, until: NOW + 7 * 86_400 },
  canceled: { given: {} },
}

/** Creates a subscription and brings it to a status. */
export async function begin(status: string, { final_action, ...given }: Given = {}): Promise<Story> {
  const beginning = BEGINNINGS[status]
  if (!beginning) throw new Error(`no story leads to ${status}`)
  const twin = await openTwin()
  await setFinalAction(twin, final_action ?? beginning.final_action ?? 'cancel')
  const { subscription, method } = await subscribe(twin, {
    afterwards: 'succeed',
    ...beginning.given,
    ...given,
  })
  if (beginning.until) await twin.advance({ to: beginning.until })
  if (status === 'canceled') await twin.delete(`/v1/subscriptions/${subscription.id}`)
  const reached = await twin.get(`/v1/subscriptions/${subscription.id}`)
  if (reached.status !== status) throw new Error(`the story led to ${reached.status}, not to ${status}`)
  return { twin, subscription: reached, method }
}

/** The parameters of a first subscription, before its creation. */
export async function beforeCreation({
  card,
  outcomes,
  price = {},
  ...given
}: Body = {}): Promise<{ twin: Twin; params: Body }> {
  const twin = await openTwin()
  const { customer, method } = await makeCustomer(twin, { card, outcomes })
  const { id } = await makePrice(twin, price)
  const params = {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: id }],
    ...given,
  }
  return { twin, params }
}
