/** @jsxImportSource hono/jsx */
import type { CardFormState } from './card-entry.ts'
import { CardFields, TestCards } from './card-form.tsx'
import { Token } from './form-token.tsx'
import { Alert, hostedPage, Notice, type PageOf } from './frame.tsx'
import type { DocumentLine, InvoiceDocument, Row } from './invoice-document.ts'

type Shown = {
  readonly of: PageOf
  readonly document: InvoiceDocument
  /** The token of the form. */
  readonly token: string
  /** The card form; null if the invoice cannot be paid. */
  readonly card: CardFormState | null
  /** Why the payment failed; null if it did not. */
  readonly problem: string | null
  /** Whether the customer has just paid. */
  readonly isPaidNow: boolean
  /** The address of the receipt; null without a payment. */
  readonly receipt: string | null
}

/** Makes the page of an invoice: the amount due, the lines, and a form to pay with a card. */
export const invoicePage = ({ of, document, token, card, problem, isPaidNow, receipt }: Shown): Response =>
  hostedPage({
    of,
    title: `Invoice ${document.number}`,
    width: card === null ? 'narrow' : 'wide',
    content: (
      <div class={card === null ? undefined : 'invoice'}>
        <section class="card">
          {isPaidNow ? <Notice isGood>Your payment was received. Thank you.</Notice> : null}
          <h1>{document.headline}</h1>
          <p>
            <span class={`status ${STATUS_CLASSES[document.status]}`}>{document.status}</span>
          </p>
          <Facts {...document} />
          <p class="actions">
            <a class="button" href={document.pdfUrl}>
              Download PDF
            </a>
            {receipt === null ? null : (
              <a class="button" href={receipt}>
                View receipt
              </a>
            )}
          </p>
        </section>
        {card === null ? null : <PaySection {...{ token, card, problem }} due={document.due} />}
        <section class="card details" aria-labelledby="details">
          <h2 id="details">Details</h2>
          {document.description === null ? null : <p>{document.description}</p>}
          <ul class="rows">
            {document.lines.map((line) => (
              <Line {...line} />
            ))}
          </ul>
          <dl class="rows totals">
            {document.totals.map(([label, amount]) => (
              <div class="row">
                <dt>{label}</dt>
                <dd class="number">{amount}</dd>
              </div>
            ))}
            <div class="row total">
              <dt>{document.due[0]}</dt>
              <dd class="number">{document.due[1]}</dd>
            </div>
          </dl>
        </section>
      </div>
    ),
  })

const STATUS_CLASSES: Readonly<Record<InvoiceDocument['status'], string>> = {
  draft: '',
  open: 'wait',
  paid: 'good',
  void: '',
  uncollectible: 'bad',
}

const Facts = ({ facts, from, to }: InvoiceDocument) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
    <div>
      <dt>From</dt>
      <dd>{from}</dd>
    </div>
    {to.length === 0 ? null : (
      <div>
        <dt>Bill to</dt>
        <dd>
          {to.map((line, index) => (
            <>
              {index === 0 ? null : <br />}
              {line}
            </>
          ))}
        </dd>
      </div>
    )}
  </dl>
)

const Line = ({ description, period, quantity, unitPrice, amount }: DocumentLine) => (
  <li>
    <span>
      {description}
      <small>
        {[period, unitPrice === '' ? `Quantity ${quantity}` : `${quantity} × ${unitPrice}`]
          .filter((text) => text !== null)
          .join(' · ')}
      </small>
    </span>{' '}
    <span class="number">{amount}</span>
  </li>
)

const FORM = 'pay'

const PaySection = ({
  token,
  card,
  due: [, amount],
  problem,
}: {
  token: string
  card: CardFormState
  due: Row
  problem: string | null
}) => (
  <section class="card pay" aria-labelledby="pay-heading">
    <h2 id="pay-heading">Pay with a card</h2>
    {problem === null ? null : <Alert>{problem}</Alert>}
    <form id={FORM} method="post" novalidate>
      <Token value={token} />
      <CardFields state={card} />
      <button type="submit" class="primary">
        Pay {amount}
      </button>
    </form>
    <TestCards form={FORM} />
  </section>
)
