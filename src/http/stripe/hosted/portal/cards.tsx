/** @jsxImportSource hono/jsx */
import { parameterInvalid, resourceMissing } from '../../../../core/errors.ts'
import type { PaymentMethod } from '../../../../core/payment-method.ts'
import { setupFactsOf } from '../../../../core/setup-intent.ts'
import { isSameSecret } from '../../../../engine/machine/digest.ts'
import { detachPaymentMethod } from '../../../../engine/resources/payment-method.ts'
import { makeDefaultCard, methodsInUse } from '../../../../engine/resources/portal-actions.ts'
import { createSetupIntent } from '../../../../engine/resources/setup-intent.ts'
import { isClientSecret } from '../../../client-secret.ts'
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
import { stepPage, Token } from './parts.tsx'
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
  const back = isDefault ? `?was=${returnToken(portal)}` : ''
  const { intent, declined } = createSetupIntent(unit, {
    customer: customer.id,
    payment_method_data: { card: entry.card, billing_details: entry.billing_details },
    usage: 'off_session',
    confirm: true,
    options: { return_url: `${portalUrl(view, session.id)}/cards/added${back}` },
  })
  // The declined intent is written, so the decline is not thrown.
  if (declined) return cardPage(portal, { state: declinedCardForm(given), given, alert: declined.message })
  if (setupFactsOf(intent).awaitsCustomer) return redirectToAuthentication(portal, intent.id)
  return saved(portal, intent.payment_method, isDefault)
}

/** Proves which card was the default one when an authentication began, so that an old address changes nothing. */
const returnToken = ({ unit, view, customer, session }: Portal): string =>
  view.ids.derived(
    `portal card ${session.id} ${unit.need('customer', customer.id).default_payment_method}`,
    24,
  )

/** Ends the addition of a card after its authentication. */
export function finishCard(portal: Portal, { given }: PortalRequest): Response {
  checkOffered(isOffered(portal))
  const { unit, view, customer } = portal
  const id = given.get('setup_intent') ?? ''
  const secret = given.get('setup_intent_client_secret') ?? ''
  const intent = unit.get('setup_intent', id)
  if (!isClientSecret(view.ids, id, secret) || intent?.customer !== customer.id)
    throw resourceMissing('setup intent', id)
  if (!setupFactsOf(intent).isSetUp) {
    const alert = 'We could not authenticate your card. Choose another one and try again.'
    return cardPage(portal, { state: emptyCardForm(), given, alert })
  }
  const isDefault = isSameSecret(given.get('was') ?? '', returnToken(portal))
  return saved(portal, intent.payment_method, isDefault)
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
