/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type {
  Charge,
  CustomerTimeline,
  Invoice,
  InvoiceTimeline,
  List,
  PaymentIntent,
  Related,
  Subscription,
  SubscriptionTimeline,
} from '../client/types.ts'
import { formatAmount } from '../core/money.ts'
import { methodText } from '../core/payment-method.ts'
import { Time } from '../http/html/time.tsx'
import { namerOf } from '../timeline/drawing.ts'
import { costText, unitPriceText } from '../timeline/price-texts.ts'
import { customerActions, invoiceActions, paymentActions, subscriptionActions } from './actions.ts'
import { v1Of } from './context.ts'
import { ObjectLink } from './object-link.tsx'
import type { ReadObject } from './object-page.tsx'
import { Panel, Status } from './text.tsx'

const adminPath = (section: string, id: string): string => `${section}/${encodeURIComponent(id)}`

type Field = readonly [name: string, value: Child]

/** Formats metadata, if there is any. */
const metadataField = (metadata: Readonly<Record<string, string>>): Field[] =>
  Object.keys(metadata).length === 0
    ? []
    : [
        [
          'Metadata',
          Object.entries(metadata).map(([key, value]) => (
            <p>
              <bdi>{key}</bdi>: <bdi>{value}</bdi>
            </p>
          )),
        ],
      ]

const Customer = ({ base, customer }: { base: string; customer: Related['customer'] }) => (
  <>
    {'deleted' in customer ? 'deleted' : <bdi>{customer.name ?? customer.email ?? ''}</bdi>}{' '}
    <ObjectLink base={base} object="customer" id={customer.id} />
  </>
)

const owedText = ({ owed }: Related): string =>
  owed.length === 0
    ? 'nothing'
    : owed.map(({ amount, currency }) => formatAmount(amount, currency)).join(' + ')

/** Shows a customer with its subscriptions, invoices that are open, and payment methods. */
export const readCustomer: ReadObject = async ({ api, base }, id, wanted) => {
  const { related, timeline, ...customer } = await api.get<CustomerTimeline>(
    adminPath('customers', id),
    wanted,
  )
  const isDeleted = 'deleted' in customer
  const methods = related.payment_methods.data.map(methodText).join(', ')
  return {
    title: isDeleted ? 'Deleted customer' : (customer.name ?? customer.email ?? 'Customer'),
    status: isDeleted ? (
      <Status status="deleted" />
    ) : customer.delinquent ? (
      <span class="status bad">delinquent</span>
    ) : null,
    fields: isDeleted
      ? []
      : [
          ['Name', customer.name ?? '–'],
          ['Email', customer.email ?? '–'],
          ['Amount due', owedText(related)],
          ['Payment methods', methods === '' ? 'none' : methods],
          ['Test clock', customer.test_clock ?? 'none'],
          ['Created', <Time at={customer.created} />],
          ...metadataField(customer.metadata),
        ],
    actions: isDeleted ? [] : customerActions(customer),
    json: customer,
    timeline,
    name: namerOf(related),
    more: (
      <>
        <Subscriptions base={base} subscriptions={related.subscriptions.data} />
        <Invoices
          base={base}
          title="Open invoices"
          invoices={related.invoices.data}
          more={<a href={`${base}/invoices?search=${encodeURIComponent(id)}`}>All invoices</a>}
        />
      </>
    ),
  }
}

/** Shows a subscription with its items and its open and latest invoices. */
export const readSubscription: ReadObject = async ({ api, base }, id, wanted) => {
  const { related, timeline, ...subscription } = await api.get<SubscriptionTimeline>(
    adminPath('subscriptions', id),
    wanted,
  )
  const { status, cancel_at, ended_at, pause_collection, trial_end, items } = subscription
  return {
    title: `Subscription, ${costText(subscription)}`,
    status: <Status status={status} />,
    fields: [
      ['Customer', <Customer base={base} customer={related.customer} />],
      [
        'Period',
        <>
          <Time at={subscription.current_period_start} /> – <Time at={subscription.current_period_end} />
        </>,
      ],
      ...(trial_end === null ? [] : [['Trial ends', <Time at={trial_end} />] as const]),
      ...(cancel_at === null ? [] : [['Cancels', <Time at={cancel_at} />] as const]),
      ...(ended_at === null ? [] : [['Ended', <Time at={ended_at} />] as const]),
      ...(pause_collection ? [['Collection', `paused (${pause_collection.behavior})`] as const] : []),
      ['Amount due', owedText(related)],
      [
        'Items',
        items.data.map(({ price, quantity }) => (
          <p>
            {quantity === null ? 'metered' : `${quantity} ×`}{' '}
            {price ? unitPriceText(price) : 'a deleted price'}
          </p>
        )),
      ],
      ['Collection method', subscription.collection_method.replaceAll('_', ' ')],
      ['Created', <Time at={subscription.created} />],
      ...metadataField(subscription.metadata),
    ],
    actions: subscriptionActions(subscription),
    isExplained: true,
    json: subscription,
    timeline,
    more: <Invoices base={base} title="Open and latest invoices" invoices={related.invoices.data} />,
  }
}

/** Shows an invoice with its lines. */
export const readInvoice: ReadObject = async ({ api, base }, id, wanted) => {
  const { related, timeline, ...invoice } = await api.get<InvoiceTimeline>(adminPath('invoices', id), wanted)
  const { status, total, amount_due, amount_paid, currency, subscription, payment_intent } = invoice
  return {
    title: `Invoice ${invoice.number ?? ''}`.trim(),
    status: <Status status={status} />,
    fields: [
      ['Customer', <Customer base={base} customer={related.customer} />],
      ['Total', formatAmount(total, currency)],
      ['Amount due', formatAmount(amount_due, currency)],
      ['Amount paid', formatAmount(amount_paid, currency)],
      ['Reason', invoice.billing_reason?.replaceAll('_', ' ') ?? '–'],
      ...(subscription === null
        ? []
        : [['Subscription', <ObjectLink base={base} object="subscription" id={subscription} />] as const]),
      ...(payment_intent === null
        ? []
        : [['Payment', <ObjectLink base={base} object="payment_intent" id={payment_intent} />] as const]),
      ['Attempts', String(invoice.attempt_count)],
      ['Next attempt', <Time at={invoice.next_payment_attempt} />],
      ['Created', <Time at={invoice.created} />],
      ...metadataField(invoice.metadata),
    ],
    actions: invoiceActions(invoice),
    isExplained: true,
    json: invoice,
    timeline,
    ofInvoice: true,
    more: (
      <Panel title="Lines">
        <ul class="rows">
          {invoice.lines.data.map(({ description, amount, currency: unit }) => (
            <li>
              <span>{description ?? 'without a description'}</span>
              <span class="number">{formatAmount(amount, unit)}</span>
            </li>
          ))}
        </ul>
      </Panel>
    ),
  }
}

/** Shows a payment with its charges. */
export const readPayment: ReadObject = async (context, id) => {
  const { api, base } = context
  const payment = await api.get<PaymentIntent>(v1Of(context, adminPath('payment_intents', id)))
  const { data: charges } = await api.get<List<Charge>>(v1Of(context, 'charges'), {
    payment_intent: id,
    limit: 100,
  })
  const { status, amount, currency, customer = null, invoice = null, last_payment_error: error } = payment
  return {
    title: `Payment of ${formatAmount(amount, currency)}`,
    status: <Status status={status} />,
    fields: [
      ['Customer', customer === null ? '–' : <ObjectLink base={base} object="customer" id={customer} />],
      ['Invoice', invoice === null ? '–' : <ObjectLink base={base} object="invoice" id={invoice} />],
      ['Last error', error?.message ?? 'none'],
      ['Created', <Time at={payment.created} />],
      ...metadataField(payment.metadata ?? {}),
    ],
    actions: paymentActions(payment, charges),
    isExplained: true,
    json: payment,
    more: (
      <Panel title="Charges, newest first">
        <ul class="rows">
          {charges.map((charge) => (
            <li>
              <span>
                <Time at={charge.created} /> <code>{charge.id}</code>
                <small>
                  {charge.failure_message ??
                    (charge.amount_refunded > 0
                      ? `${formatAmount(charge.amount_refunded, currency)} refunded`
                      : '')}
                </small>
              </span>
              <span>
                {formatAmount(charge.amount, currency)} <Status status={charge.status} />
              </span>
            </li>
          ))}
        </ul>
      </Panel>
    ),
  }
}

const Subscriptions = ({ base, subscriptions }: { base: string; subscriptions: readonly Subscription[] }) => (
  <Panel title="Subscriptions">
    <ul class="rows">
      {subscriptions.length === 0 ? <li class="empty">None.</li> : null}
      {subscriptions.map((subscription) => (
        <li>
          <span>
            <ObjectLink base={base} object="subscription" id={subscription.id} /> {costText(subscription)}
          </span>
          <Status status={subscription.status} />
        </li>
      ))}
    </ul>
  </Panel>
)

type InvoicesProps = {
  readonly base: string
  readonly title: string
  readonly invoices: readonly Invoice[]
  readonly more?: Child
}

const Invoices = ({ base, title, invoices, more }: InvoicesProps) => (
  <Panel title={title} more={more}>
    <ul class="rows">
      {invoices.length === 0 ? <li class="empty">None.</li> : null}
      {invoices.map(({ id, number, total, currency, status }) => (
        <li>
          <span>
            <ObjectLink base={base} object="invoice" id={id} /> {number} {formatAmount(total, currency)}
          </span>
          <Status status={status} />
        </li>
      ))}
    </ul>
  </Panel>
)
