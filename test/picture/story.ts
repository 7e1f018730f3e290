import { api, type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { openTerminal } from '../ui/tmux.ts'

/** Where the story is told: on a screen that has room for all of its events, with all that a row has to say. */
export const SCREEN = { columns: 112, rows: 28 }
/** What is typed there. */
export const COMMAND = "paytwin events tail --type invoice.paid invoice.payment_failed 'subscription.*'"

const BEGIN = '2026-01-31T10:00:00Z'
const DECLINED = 'decline:insufficient_funds'

/** What a customer pays a month, and what becomes of each payment in turn; further ones succeed. */
type Subscriber = {
  readonly name: string
  readonly unit_amount: number
  readonly outcomes: readonly string[]
}

const BEN: Subscriber = { name: 'Ben', unit_amount: 2000, outcomes: ['succeed', DECLINED, DECLINED] }
const CLEO: Subscriber = {
  name: 'Cleo',
  unit_amount: 4900,
  outcomes: ['succeed', ...Array<string>(5).fill(DECLINED)],
}
const ADA: Subscriber = { name: 'Ada', unit_amount: 9900, outcomes: [] }

/**
 * The terminal UI after five weeks of three subscriptions: Ben's card was declined at the renewal and recovered at the second
 * retry, Cleo's never did and her subscription is canceled, Ada's always worked. The menu that advances the clock is open.
 * @returns the lines of the screen, with the codes of their colours
 */
export async function terminalAtTheEnd(): Promise<string[]> {
  const daemon = await startDaemon(['--ephemeral', '--clock', BEGIN, '--seed', '1'])
  try {
    await subscribe(daemon, BEN)
    await subscribe(daemon, CLEO)
    await advance(daemon, '3d')
    await subscribe(daemon, ADA)
    await advance(daemon, '32d')
    return await look(daemon)
  } finally {
    await daemon.stop()
  }
}

async function subscribe(daemon: RunningDaemon, { name, unit_amount, outcomes }: Subscriber): Promise<void> {
  const recurring = { interval: 'month' }
  const price = await api(daemon, '/v1/prices', { unit_amount, currency: 'usd', recurring })
  const customer = await api(daemon, '/v1/customers', { name, email: `${name.toLowerCase()}@example.com` })
  const card = await api(daemon, '/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  await api(daemon, `/v1/test_helpers/payment_methods/${card.id}/outcomes`, { outcomes })
  await api(daemon, '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price: price.id }],
  })
}

const advance = (daemon: RunningDaemon, by: string) => api(daemon, '/v1/test_helpers/clock/advance', { by })

async function look({ env }: RunningDaemon): Promise<string[]> {
  const terminal = await openTerminal({ ...SCREEN, env })
  try {
    await terminal.paytwin(COMMAND.replace(/^paytwin /, ''))
    await terminal.shows(/frozen .* 0\/s {2}● connected/)
    await terminal.press('a', '5')
    return await terminal.shows(/▸ 5 {2}next job → .*renewal sub_/, { colours: true })
  } finally {
    await terminal.close()
  }
}
