/** @jsxImportSource hono/jsx */
import type { Invoice } from '../../../../core/invoice.ts'
import type { Summary } from '../../../../engine/history/view.ts'
import { NOT_DELETED } from '../../../pagination.ts'
import { invoiceUrl } from '../../present/hosted-pages.ts'
import { amountText } from '../amount.ts'
import { Token } from '../form-token.tsx'
import { Day } from './parts.tsx'
import { isPayable, type Portal, payState, tokenOf } from './portal.ts'

const FIRST = 10
const MOST = 100

/** Shows the finalized invoices, newest first. Each links to its page, where an open invoice can be paid. */
export function InvoiceSection({ portal, showsAll }: { portal: Portal; showsAll: boolean }) {
  const { view, customer, path } = portal
  const limit = showsAll ? MOST : FIRST
  const filters = [{ field: 'customer', is: customer.id }, NOT_DELETED, { field: 'status', isNot: 'draft' }]
  const found = view.summaries('invoice', filters, { limit: MOST + 1 })
  return (
    <section class="card" aria-labelledby="invoices">
      <h2 id="invoices">Invoice history</h2>
      {found.length === 0 ? <p class="faint">There are no invoices yet.</p> : null}
      <ul class="rows">
        {found.slice(0, limit).map((invoice) => (
          <InvoiceRow portal={portal} invoice={invoice} />
        ))}
      </ul>
      {found.length > FIRST && !showsAll ? (
        <p>
          <a href={`${path}?invoices=all#invoices`}>Show more invoices</a>
        </p>
      ) : null}
    </section>
  )
}

/** The name and the color of each status. */
const STATUSES: Readonly<Record<Invoice['status'], readonly [string, string]>> = {
  draft: ['Draft', ''],
  open: ['Open', 'wait'],
  paid: ['Paid', 'good'],
  uncollectible: ['Uncollectible', 'bad'],
  void: ['Void', ''],
}

function InvoiceRow({ portal, invoice }: { portal: Portal; invoice: Summary<Invoice> }) {
  const { view, path } = portal
  const [status, look] = STATUSES[invoice.status]
  const open = invoice.amount_due - invoice.amount_paid
  return (
    <li>
      <span id={`invoice-${invoice.id}`}>
        {invoice.finalized_at !== null ? (
          <a href={invoiceUrl(view, invoice.id)}>
            <Day at={invoice.finalized_at ?? invoice.created} />
          </a>
        ) : (
          <Day at={invoice.finalized_at ?? invoice.created} />
        )}
        <small>{invoice.number}</small>
      </span>
      <span class="ending">
        <span class={`status ${look}`}>{status}</span>{' '}
        <span class="number">{amountText(invoice.total, invoice.currency)}</span>
        {isPayable(portal, invoice) ? (
          <form class="inline" method="post" action={`${path}/invoices/${invoice.id}/pay`}>
            <Token value={tokenOf(portal, payState(portal, invoice))} />
            <button type="submit" aria-describedby={`invoice-${invoice.id}`}>
              Pay {amountText(open, invoice.currency)}
            </button>
          </form>
        ) : null}
      </span>
    </li>
  )
}
