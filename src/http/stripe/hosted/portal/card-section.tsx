/** @jsxImportSource hono/jsx */
import { methodsInUse } from '../../../../engine/resources/portal-actions.ts'
import { Token } from '../form-token.tsx'
import { methodName } from '../method-name.ts'
import { cardState, cardsOf } from './cards.tsx'
import { type Portal, tokenOf } from './portal.ts'

/** Shows the cards of the customer, each with its actions. */
export function CardSection({ portal }: { portal: Portal }) {
  const { view, customer, path } = portal
  const used = methodsInUse(view, customer)
  const token = tokenOf(portal, cardState(portal))
  const cards = cardsOf(portal)
  return (
    <section class="card" aria-labelledby="cards">
      <h2 id="cards">Payment methods</h2>
      {cards.length === 0 ? <p class="faint">No card is saved.</p> : null}
      <ul class="rows">
        {cards.map((method) => {
          const { id, card } = method
          const isDefault = id === customer.default_payment_method
          return (
            <li>
              <span id={`card-${id}`}>
                <span class="name">{methodName(method)}</span>
                {isDefault ? (
                  <>
                    {' '}
                    <span class="status good">Default</span>
                  </>
                ) : null}
                {card ? (
                  <small>
                    Expires {String(card.exp_month).padStart(2, '0')}/{card.exp_year}
                  </small>
                ) : null}
              </span>
              <form class="inline" method="post" action={`${path}/cards/${id}`}>
                <Token value={token} />
                {isDefault ? null : (
                  <button
                    class="quiet"
                    type="submit"
                    name="action"
                    value="default"
                    aria-describedby={`card-${id}`}
                  >
                    Make default
                  </button>
                )}
                {used.has(id) ? null : (
                  <button
                    class="quiet"
                    type="submit"
                    name="action"
                    value="remove"
                    aria-describedby={`card-${id}`}
                  >
                    Remove
                  </button>
                )}
              </form>
            </li>
          )
        })}
      </ul>
      <p class="actions">
        <a class="button" href={`${path}/cards/add`}>
          Add payment method
        </a>
      </p>
    </section>
  )
}
