import { Output } from '../../src/cli/show/output.ts'
import { showCustomer } from '../../src/cli/show/show-customer.ts'
import { showInvoice } from '../../src/cli/show/show-invoice.ts'
import { showSubscription } from '../../src/cli/show/show-subscription.ts'
import type { CustomerTimeline, InvoiceTimeline, SubscriptionTimeline } from '../../src/client/types.ts'
import { asOperator } from '../http/support.ts'
import type { Twin } from '../twin.ts'
import { recordedIo } from './terminal.ts'

type Shown = {
  readonly at?: string
  readonly all?: boolean
  readonly columns?: number
  /** Whether programs read. */
  readonly isPiped?: boolean
}

/** The output of `paytwin … show` without colours: complete, and its last section, the timeline. */
export async function shown(
  twin: Twin,
  path: `${'customers' | 'subscriptions' | 'invoices'}/${string}`,
  { at, all = false, columns = 80, isPiped = false }: Shown = {},
): Promise<{ whole: string; timeline: string }> {
  const query = at === undefined ? '' : `?at=${at}`
  const { status, body } = await asOperator(twin)('GET', path + query)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  const { io, written } = recordedIo({ isTerminal: !isPiped, columns, env: { NO_COLOR: '1' } })
  const out = new Output(io)
  if (path.startsWith('customers')) showCustomer(out, body as CustomerTimeline, { all })
  else if (path.startsWith('invoices')) showInvoice(out, body as InvoiceTimeline, { all })
  else showSubscription(out, body as SubscriptionTimeline, { all })
  const whole = written.stdout
  const lines = whole.split('\n')
  const start = lines.findIndex((line) => / {2}[●✓✗⋮]|\thappened\t/.test(line))
  return { whole, timeline: lines.slice(start).join('\n').trimEnd() }
}
