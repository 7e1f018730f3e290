/** @jsxImportSource hono/jsx */
import { hostedPage, type PageOf } from './frame.tsx'
import type { Row } from './invoice-document.ts'

type Shown = {
  readonly of: PageOf
  readonly headline: string
  readonly facts: readonly Row[]
  /** The address of the invoice that was paid; null for none. */
  readonly invoice: string | null
}

/** Makes the receipt of a payment. */
export const receiptPage = ({ of, headline, facts, invoice }: Shown): Response =>
  hostedPage({
    of,
    title: 'Receipt',
    content: (
      <section class="card">
        <p class="faint">Receipt</p>
        <h1>{headline}</h1>
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {invoice === null ? null : (
          <p class="actions">
            <a class="button" href={invoice}>
              View invoice
            </a>
          </p>
        )}
      </section>
    ),
  })
