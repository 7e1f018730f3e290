/** @jsxImportSource hono/jsx */
import { parameterInvalid, resourceMissing } from '../../../../core/errors.ts'
import type { PaymentMethod } from '../../../../core/payment-method.ts'
import { setupFactsOf } from '../../../../core/setup-intent.ts'
import { detachPaymentMethod } from '../../../../engine/resources/payment-method.ts'
import { makeDefaultCard, methodsInUse } from '../../../../engine/resources/portal-actions.ts'
import { createSetupIntent, updateSetupIntent } from '../../../../engine/resources/setup-intent.ts'
import { portalUrl } from '../../present/hosted-pages.ts'
import {
  type CardFormState,
  declinedCardForm,
  emptyCardForm,
  filledCardForm,
  keptCardForm,
  readCardForm,
} from '../card-entry.ts'
import { CardFields, TestCards } from '../card-form.tsx'
import { hasToken, Token } from '../form-token.tsx'
import { stepPage } from './parts.tsx'
import {
  checkOffered,
  checkToken,
  finish,
  type Portal,
  type PortalRequest,
  redirectToAuthentication,
  redirectWithin,
  tokenOf,
} from './portal.ts'

/** paytwin: the maximum number of cards that a page shows. */
const MAX_CARDS = 50

/** Lists the payment methods of the customer, newest first. */
export const cardsOf = ({ view, customer }: Portal): PaymentMethod[] =>
  view.list('payment_method', [{ field: 'customer', is: customer.id }], { limit: MAX_CARDS })

/** What the forms of cards depend on: the cards, and which is the default one. */
export const cardState = (portal: Portal) =>
  [
    'cards',
    portal.unit.need('customer', portal.customer.id).default_payment_method,
    cardsOf(portal).map(({ id }) => id),
  ] as const

const isOffered = ({ configuration }: Portal): boolean => configuration.features.payment_method_update.enabled

/** Shows the form of a new card. */
export function addCardPage(portal: Portal, { given, alert }: PortalRequest): Response {
  checkOffered(isOffered(portal))
  return cardPage(portal, {
    state: given.has('expiration') ? keptCardForm(given) : emptyCardForm(),
    given,
    alert,
  })
}

const FORM = 'card-form'

function cardPage(
  portal: Portal,
  { state, given, alert }: { state: CardFormState; given: URLSearchParams; alert?: string | undefined },
): Response {
  const isFlow = portal.step !== null
  return stepPage(portal, {
    title: 'Add payment method',
    alert,
    content: (
      <>
        <form method="post" action={`${portal.path}/cards/add`} id={FORM} novalidate>
          <Token value={tokenOf(portal, cardState(portal))} />
          <CardFields state={state} />
          {isFlow ? null : (
            <label class="check">
              <input
                type="checkbox"
                name="default"
                value="yes"
                checked={!given.has('number') || given.has('default')}
              />
              <span>Use this card as the default one for all payments</span>
            </label>
          )}
          <button type="submit" class="primary">
            Add payment method
          </button>
        </form>
        <TestCards form={FORM} />
      </>
    ),
  })
}

/** Saves a card by a setup intent. One that needs an authentication leads to its page. */
export function submitCard(portal: Portal, { given }: PortalRequest): Response {
  checkOffered(isOffered(portal))
  const { unit, customer, view, session, of } = portal
  const filled = filledCardForm(given, of)
  if (filled) return cardPage(portal, { state: filled, given })
  checkToken(portal, given, cardState(portal))
  const { entry, errors } = readCardForm(given, of)
  if (errors) return cardPage(portal, { state: keptCardForm(given, errors), given })
  // The only step of a flow is to replace the card that pays.
  const isDefault = portal.step !== null || given.has('default')
  const added = `${portalUrl(view, session.id)}/cards/added`
  const { intent, declined } = createSetupIntent(unit, {
    customer: customer.id,
    payment_method_data: { card: entry.card, billing_details: entry.billing_details },
    usage: 'off_session',
    confirm: true,
    options: { return_url: added },
  })
  // The declined intent is written, so the decline is not thrown.
  if (declined) return cardPage(portal, { state: declinedCardForm(given), given, alert: declined.message })
  if (setupFactsOf(intent).awaitsCustomer) {
    const return_url = `${added}?${returnQuery(portal, intent.id, isDefault)}`
    updateSetupIntent(unit, intent.id, { options: { return_url } })
    return redirectToAuthentication(portal, intent.id)
  }
  return saved(portal, intent.payment_method, isDefault)
}

/** Returns the default card of the customer; empty for none. */
const defaultCardOf = ({ unit, customer }: Portal): string =>
  unit.need('customer', customer.id).default_payment_method ?? ''

/**
 * Returns the parameters of the address to return to. They name the default card that the new one replaces, if it replaces one: if the
 * customer has chosen another since, that one stays.
 */
function returnQuery(portal: Portal, intent: string, isDefault: boolean): URLSearchParams {
  const was = isDefault ? defaultCardOf(portal) : null
  return new URLSearchParams({ ...(was !== null && { was }), token: tokenOf(portal, ['added', intent, was]) })
}

/**
 * Ends the addition of a card after its authentication. Accepts only the setup intent that this session began. The address changes the
 * default card once: then the intent returns to the overview.
 */
export function finishCard(portal: Portal, { given }: PortalRequest): Response {
  checkOffered(isOffered(portal))
  const id = given.get('setup_intent') ?? ''
  const was = given.get('was')
  const intent = portal.unit.get('setup_intent', id)
  const isReturn = hasToken(given, tokenOf(portal, ['added', id, was]))
  if (!isReturn || intent?.customer !== portal.customer.id) throw resourceMissing('setup intent', id)
  if (!setupFactsOf(intent).isSetUp) {
    const alert = 'We could not authenticate your card. Choose another one and try again.'
    return cardPage(portal, { state: emptyCardForm(), given, alert })
  }
  const overview = portalUrl(portal.view, portal.session.id)
  if (intent.options?.return_url === overview) return finish(portal, 'card_added')
  updateSetupIntent(portal.unit, id, { options: { return_url: overview } })
  return saved(portal, intent.payment_method, was === defaultCardOf(portal))
}

function saved(portal: Portal, method: string | null, isDefault: boolean): Response {
  const { unit, customer } = portal
  if (isDefault && method !== null) makeDefaultCard(unit, customer, method)
  return finish(portal, 'card_added')
}

/** Makes a card the default one, or removes it. */
export function submitCardAction(portal: Portal, { id, given }: PortalRequest): Response {
  checkOffered(isOffered(portal))
  const { unit, view, customer } = portal
  checkToken(portal, given, cardState(portal))
  const method = unit.find('payment_method', id)
  if (method.customer !== customer.id) throw resourceMissing('payment method', id)
  const action = given.get('action')
  if (action === 'default') makeDefaultCard(unit, customer, id)
  else if (action !== 'remove') throw parameterInvalid('action', 'expected default or remove')
  else {
    checkOffered(!methodsInUse(view, customer).has(id))
    detachPaymentMethod(unit, id)
  }
  return redirectWithin(portal, `?notice=${action === 'default' ? 'card_default' : 'card_removed'}`)
}
