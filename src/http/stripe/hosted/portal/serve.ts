import { parameterInvalid } from '../../../../core/errors.ts'
import type { FlowStep } from '../../../../core/portal-session.ts'
import { messagePage, refusedPage } from '../frame.tsx'
import { currentObjects, type HostedRequest, pageOf, runCommand } from '../serve.ts'
import { cancelPage, submitCancel } from './cancel.tsx'
import { addCardPage, finishCard, submitCard, submitCardAction } from './cards.tsx'
import { detailsPage, submitDetails } from './details.tsx'
import { homePage } from './home.tsx'
import { submitPayment } from './pay.ts'
import { choosePage, confirmPage, submitConfirm } from './plan.tsx'
import { finishPlanChange } from './plan-authenticated.ts'
import {
  openPortal,
  type Portal,
  type PortalRequest,
  redirectWithin,
  refusalOf,
  SessionExpired,
  sessionOf,
} from './portal.ts'
import { submitKeep, submitRenew } from './withdraw.ts'

type Handler = (portal: Portal, request: PortalRequest) => Response

type Page = {
  /** Shows the page, also after its form was refused. */
  readonly show: Handler
  readonly submit?: Handler
  /** The steps of flows that the page belongs to. */
  readonly steps: readonly FlowStep['type'][]
  /** Whether opening the page can change something, such as the end of an authentication. A prefetch does not load it. */
  readonly changesWhenOpened?: true
}

/** Shows the overview, also when a form without a page of its own is refused. */
const showHome: Handler = (portal, request) => homePage(portal, request)

/** The pages, by their path below the session's path. */
const PAGES: Readonly<Record<string, Page>> = {
  '': { show: showHome, steps: [] },
  '/details': { show: detailsPage, submit: submitDetails, steps: ['customer_update'] },
  '/cards/add': { show: addCardPage, submit: submitCard, steps: ['payment_method_update'] },
  '/cards/added': { show: finishCard, steps: ['payment_method_update'], changesWhenOpened: true },
  '/cards/:id': { show: showHome, submit: submitCardAction, steps: [] },
  '/subscriptions/:id/update': {
    show: choosePage,
    steps: ['subscription_update'],
    changesWhenOpened: true,
  },
  '/subscriptions/:id/confirm': {
    show: confirmPage,
    submit: submitConfirm,
    steps: ['subscription_update', 'subscription_update_confirm'],
    changesWhenOpened: true,
  },
  '/subscriptions/:id/cancel': { show: cancelPage, submit: submitCancel, steps: ['subscription_cancel'] },
  '/subscriptions/:id/renew': { show: showHome, submit: submitRenew, steps: [] },
  '/subscriptions/:id/updated': {
    show: finishPlanChange,
    changesWhenOpened: true,
    steps: ['subscription_update', 'subscription_update_confirm'],
  },
  '/subscriptions/:id/keep': { show: showHome, submit: submitKeep, steps: [] },
  '/invoices/:id/pay': { show: showHome, submit: submitPayment, steps: [] },
}

/** The pages of the portal, by their whole paths. */
export const PORTAL_PAGES: Readonly<Record<string, (request: HostedRequest) => Promise<Response>>> =
  Object.fromEntries(
    Object.entries(PAGES).map(([rest, page]) => [
      `/p/session/:merchant/:secret${rest}`,
      (request: HostedRequest) => servePortal(request, page),
    ]),
  )

/** Serves a page of the portal, or its form, in one command, so that it reads and writes one state. */
async function servePortal(request: HostedRequest, page: Page): Promise<Response> {
  const { param, query, form, isPrefetch } = request
  if (page.changesWhenOpened && isPrefetch)
    return refusedPage(503, 'This page must be opened by the customer')
  const merchant = request.merchant()
  const view = await currentObjects(request, merchant)
  const session = sessionOf(view, param('secret'))
  const id = param('id')
  const run = (handler: Handler, given: Omit<PortalRequest, 'id'>) =>
    runCommand(request, merchant, (unit) => {
      const of = (testClock: string | null) => pageOf(merchant, testClock)
      const portal = openPortal(unit, { view, of, session })
      return atStep(portal, page, { ...given, id }) ?? handler(portal, { ...given, id })
    })
  try {
    if (form === null) return await run(page.show, { given: query })
    if (!page.submit) throw parameterInvalid(null, 'This page has no form')
    return await run(page.submit, { given: form }).catch((error: unknown) => {
      const alert = refusalOf(error)
      if (alert === undefined) throw error
      return run(page.show, { given: form, alert })
    })
  } catch (error) {
    if (!(error instanceof SessionExpired)) throw error
    const title = 'This session has expired'
    const text = 'Go back to the site that you came from, and open the page from there again.'
    return messagePage({ of: pageOf(merchant, null), title, text })
  }
}

/**
 * Keeps a flow on the pages of its step until the step is completed, and closes it then.
 * @returns the page to show instead; undefined if the requested page is allowed
 */
function atStep(portal: Portal, { steps }: Page, { id, alert }: PortalRequest): Response | undefined {
  const { step, session } = portal
  if (step !== null) {
    const isRight = steps.includes(step.type) && (!('subscription' in step) || step.subscription === id)
    return isRight ? undefined : redirectWithin(portal, pathOf(step))
  }
  const completion = session.is_flow_done ? session.flow?.after_completion : undefined
  if (!completion || completion.type === 'portal_homepage') return undefined
  const { return_url } = completion.type === 'redirect' ? completion : session
  return messagePage({
    of: portal.of,
    title: 'Done',
    text:
      alert ??
      (completion.type === 'hosted_confirmation' && completion.custom_message) ??
      'Your change was made.',
    link: return_url === null ? null : { href: return_url, text: `Return to ${portal.of.merchant}` },
  })
}

/** Returns the path on which a step begins. */
function pathOf(step: FlowStep): string {
  switch (step.type) {
    case 'customer_update':
      return '/details'
    case 'payment_method_update':
      return '/cards/add'
    case 'subscription_cancel':
      return `/subscriptions/${step.subscription}/cancel`
    case 'subscription_update':
      return `/subscriptions/${step.subscription}/update`
    case 'subscription_update_confirm':
      return `/subscriptions/${step.subscription}/confirm`
  }
}
