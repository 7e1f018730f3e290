import { formatInstant } from '../../core/calendar.ts'
import { ApiError, invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { subscriptionJobs } from '../../core/jobs.ts'
import { type Subscription, withoutCancellation } from '../../core/subscription.ts'
import type { SubscriptionStatus } from '../../core/subscription-status.ts'
import { nextInvoice } from '../machine/jobs.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { asPreview, newestInvoice, newInvoice } from './next-invoice.ts'
import { cancelSubscription, createSubscription, type SubscriptionParams } from './subscription.ts'
import { type SubscriptionUpdate, updateSubscription } from './subscription-update.ts'

/** The change to preview: of a subscription, its cancellation now, or a new subscription. */
export type InvoicePreviewParams =
  | {
      readonly subscription: string
      readonly customer?: string | undefined
      readonly currency?: string | undefined
      /** null for no change: the next invoice is previewed. */
      readonly change: SubscriptionUpdate | { readonly cancel: { readonly prorate: boolean } } | null
    }
  | { readonly creation: Omit<SubscriptionParams, 'currency'> & { readonly currency?: string | undefined } }

/**
 * Returns the invoice that a change of a subscription, or a new subscription, makes now, or else the next one. The use case
 * itself runs, and is rolled back.
 * @throws ApiError those of the use case, with the names of `subscription_details`; invalid_state_transition, param   status,
 * when there will be no invoice
 * See docs/contract/invoices.md#preview.
 */
export function previewInvoice(unit: UnitOfWork, params: InvoicePreviewParams): Invoice {
  const { invoice, isNew } = 'creation' in params ? ofCreation(unit, params) : ofChange(unit, params)
  return asPreview(unit, invoice, isNew)
}

type Found = { readonly invoice: Invoice; readonly isNew: boolean }

function ofCreation(
  unit: UnitOfWork,
  { creation }: Extract<InvoicePreviewParams, { creation: unknown }>,
): Found {
  const [item] = creation.items
  const invoice = unit.rehearse((rehearsal) => {
    const { id } = inDetails(() => {
      const currency =
        creation.currency ??
        item?.price_data?.currency ??
        unit.find('price', item?.price ?? '', 'items[0][price]').currency
      return createSubscription(rehearsal, { ...creation, currency })
    })
    return newInvoice(rehearsal, id, undefined) ?? nextInvoice(rehearsal, id) ?? refuse(rehearsal, id)
  })
  return { invoice, isNew: true }
}

function ofChange(
  unit: UnitOfWork,
  { subscription: id, change, ...expected }: Extract<InvoicePreviewParams, { subscription: string }>,
): Found {
  const subscription = unit.find('subscription', id, 'subscription')
  checkExpected(subscription, expected)
  if (change === null) return { invoice: nextInvoice(unit, id) ?? refuse(unit, id), isNew: false }
  const before = newestInvoice(unit, id)?.id
  const invoice = unit.rehearse((rehearsal) => {
    inDetails(() =>
      'cancel' in change
        ? cancelSubscription(rehearsal, id, {
            cancel_at_period_end: false,
            invoice_now: true,
            ...change.cancel,
          })
        : updateSubscription(rehearsal, id, change),
    )
    return newInvoice(rehearsal, id, before) ?? nextInvoice(rehearsal, id) ?? refuse(rehearsal, id)
  })
  return { invoice, isNew: false }
}

/** The invoice that a change makes now, and the next one after it; null for none. */
export type ChangePreview = { readonly now: Invoice | null; readonly next: Invoice | null }

/** Previews the invoices after a change of a subscription, which runs and is rolled back. @throws what the change throws */
export function previewAfter(
  unit: UnitOfWork,
  id: string,
  change: (rehearsal: UnitOfWork) => unknown,
): ChangePreview {
  const before = newestInvoice(unit, id)?.id
  return unit.rehearse((rehearsal) => {
    change(rehearsal)
    const now = newInvoice(rehearsal, id, before)
    const next = nextInvoice(rehearsal, id)
    return {
      now: now ? asPreview(unit, now, false) : null,
      next: next ? asPreview(unit, next, false) : null,
    }
  })
}

/** @throws ApiError parameter_invalid when the subscription is another customer's or in another currency */
function checkExpected(
  subscription: Subscription,
  expected: { readonly customer?: string | undefined; readonly currency?: string | undefined },
): void {
  for (const name of ['customer', 'currency'] as const) {
    const value = expected[name]
    if (value !== undefined && value !== subscription[name])
      throw parameterInvalid(name, `The ${name} of the subscription is ${subscription[name]}, not ${value}`)
  }
}

/** Parameters of `create_preview` itself; the use cases name all others without `subscription_details`. */
const TOP_LEVEL = ['customer', 'currency', 'discounts', 'status', 'id']

/** Runs a use case with the parameters of `subscription_details`, under whose names errors are reported. */
function inDetails<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null) throw error
    const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(error.param) ?? []
    if (TOP_LEVEL.includes(name)) throw error
    const { status, type, code, message, details } = error
    const param = `subscription_details[${name}]${rest}`
    throw new ApiError({ status, type, code, message, details, param })
  }
}

/** How to make a subscription of a status create invoices again, as the end of a sentence. */
const REMEDIES: { readonly [Status in SubscriptionStatus]?: string } = {
  paused: '; resume it',
  incomplete: ' until its first one is paid',
}

/** @throws ApiError invalid_state_transition: the subscription creates no further invoice */
const refuse = (unit: UnitOfWork, id: string): never => {
  throw invalidStateTransition(noInvoiceMessage(unit.need('subscription', id)))
}

/** Explains why a subscription creates no further invoice, and how to change that. */
function noInvoiceMessage(subscription: Subscription): string {
  const { status, cancel_at_period_end } = subscription
  const end = subscriptionJobs(subscription).find(({ kind }) => kind === 'cancellation')
  if (!end)
    return `A subscription whose status is ${status} creates no further invoice${REMEDIES[status] ?? ''}`
  const hasOwnDate = !cancel_at_period_end || withoutCancellation(subscription).cancel_at !== null
  const ways = [
    ...(cancel_at_period_end ? ['resume it'] : []),
    ...(hasOwnDate ? ['clear its cancel_at'] : []),
  ]
  return `The subscription is canceled at ${formatInstant(end.due)} and creates no further invoice; to keep it, ${ways.join(' and ')}`
}
