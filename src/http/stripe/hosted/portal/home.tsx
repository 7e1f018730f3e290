/** @jsxImportSource hono/jsx */
import { NO_CONTACT } from '../../../../core/contact.ts'
import { shownSubscriptionsOf } from '../../../../engine/resources/portal-actions.ts'
import { addressLines } from '../address-lines.ts'
import { Alert, hostedPage, Notice } from '../frame.tsx'
import { CardSection } from './card-section.tsx'
import { changeableOf } from './details.tsx'
import { InvoiceSection } from './invoice-section.tsx'
import { Return } from './parts.tsx'
import { PlanCard } from './plan-card.tsx'
import type { Portal, PortalRequest } from './portal.ts'

/** The notices after a change, by their name in the address. */
const NOTICES: Readonly<Record<string, string>> = {
  canceled: 'Your subscription was canceled.',
  canceled_later: 'Your subscription will be canceled at the end of its period.',
  card_added: 'Your card was saved.',
  card_default: 'Your default card was changed.',
  card_removed: 'The card was removed.',
  details: 'Your details were saved.',
  kept: 'Your plan stays as it is.',
  paid: 'Thank you. Your payment was made.',
  renewed: 'Your subscription will renew.',
  updated: 'Your plan was updated.',
  updated_later: 'Your plan will change at the end of the period.',
}

/** The parameter of the address with the last plan of the page before. */
const PLANS_AFTER = 'plans_after'

/** Shows the customer's subscriptions, cards, details and invoices, with the actions that the configuration allows. */
export function homePage(portal: Portal, { given, alert }: PortalRequest): Response {
  const { of, unit, view, customer, configuration, path } = portal
  const { features, business_profile } = configuration
  const notice = alert === undefined ? NOTICES[given.get('notice') ?? ''] : undefined
  const { shown, last } = shownSubscriptionsOf(unit, view, {
    customer: customer.id,
    after: given.get(PLANS_AFTER),
  })
  return hostedPage({
    of,
    title: 'Billing',
    width: 'wide',
    content: (
      <>
        <Return portal={portal} />
        <h1>{business_profile.headline ?? 'Your billing'}</h1>
        <div class="field">
          {alert === undefined ? null : <Alert>{alert}</Alert>}
          {notice === undefined ? null : <Notice>{notice}</Notice>}
        </div>
        <section class="card" aria-labelledby="plans">
          <h2 id="plans">Current plans</h2>
          {shown.length === 0 ? <p class="faint">You have no current plans.</p> : null}
          <ul class="rows">
            {shown.map((subscription) => (
              <PlanCard portal={portal} subscription={subscription} />
            ))}
          </ul>
          {last === undefined ? null : (
            <p>
              <a href={`${path}?${PLANS_AFTER}=${last}#plans`}>Show more plans</a>
            </p>
          )}
        </section>
        {features.payment_method_update.enabled ? <CardSection portal={portal} /> : null}
        <Details portal={portal} />
        {features.invoice_history.enabled ? (
          <InvoiceSection portal={portal} showsAll={given.get('invoices') === 'all'} />
        ) : null}
        <Legal portal={portal} />
      </>
    ),
  })
}

function Details({ portal }: { portal: Portal }) {
  const { name, email, contact } = portal.customer
  const { phone, address } = contact ?? NO_CONTACT
  const lines = [name, email, phone, ...(address ? addressLines(address) : [])].filter(Boolean)
  return (
    <section class="card" aria-labelledby="details">
      <h2 id="details">Your details</h2>
      {lines.length === 0 ? <p class="faint">No details are known.</p> : null}
      {lines.length === 0 ? null : (
        <ul class="contact">
          {lines.map((line) => (
            <li>{line}</li>
          ))}
        </ul>
      )}
      {changeableOf(portal).length === 0 ? null : (
        <p class="actions">
          <a class="button" href={`${portal.path}/details`}>
            Update details
          </a>
        </p>
      )}
    </section>
  )
}

function Legal({ portal }: { portal: Portal }) {
  const { privacy_policy_url, terms_of_service_url } = portal.configuration.business_profile
  return (
    <p class="faint legal">
      {terms_of_service_url === null ? null : <a href={terms_of_service_url}>Terms</a>}{' '}
      {privacy_policy_url === null ? null : <a href={privacy_policy_url}>Privacy</a>}
    </p>
  )
}
