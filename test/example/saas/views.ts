import { html } from 'hono/html'
import type { Plan, User } from './database.ts'

type Content = ReturnType<typeof html>

/** A plan as the pricing page shows it. */
export type Offer = { readonly name: string; readonly price: string; readonly text: string }

const layout = (title: string, content: Content, user?: User) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title} · Notely</title>
      <link rel="stylesheet" href="/style.css" />
    </head>
    <body>
      <header><a href="/">Notely</a> ${user ? html`<a href="/account">Account</a>` : ''}</header>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </body>
  </html>`

export const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; padding: 1rem; max-width: 48rem }
header { display: flex; justify-content: space-between }
.plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem }
article { padding: 1rem; border: 1px solid; border-radius: .5rem }
button, input { min-height: 2.75rem; padding: 0 1rem; font: inherit }
`

export const pricingPage = (offers: readonly Offer[], user?: User) =>
  layout(
    'Pricing',
    html`<div class="plans">
      ${offers.map(
        ({ name, price, text }) => html`<article>
          <h2>${name}</h2>
          <p><b>${price}</b> a month</p>
          <p>${text}</p>
          <form method="post" action="/checkout">
            <button name="plan" value="${name}">Choose ${name}</button>
          </form>
        </article>`,
      )}
    </div>`,
    user,
  )

export const signUpPage = (plan: string) =>
  layout(
    'Sign up',
    html`<form method="post">
      <p><label>Work email <input type="email" name="email" required autocomplete="email" /></label></p>
      <input type="hidden" name="plan" value="${plan}" />
      <button>Create account</button>
    </form>`,
  )

export const welcomePage = (user: User) =>
  layout('Welcome aboard', html`<p><a href="/account">Go to your account</a></p>`, user)

const day = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10)

function stateOf({ status, ends, renews }: Plan): string {
  if (status === 'canceled') return 'Your subscription has ended.'
  if (status === 'past_due') return 'Your last payment failed. Please update your card.'
  return ends === null ? `Renews on ${day(renews)}` : `Ends on ${day(ends)}`
}

export const accountPage = (user: User, plan: Plan | undefined) =>
  layout(
    'Account',
    html`<p>${user.email}</p>
      ${
        plan
          ? html`<p>Plan: <b>${plan.status === 'canceled' ? 'Free' : plan.plan}</b></p>
              <p>${stateOf(plan)}</p>
              <form method="post" action="/portal"><button>Manage billing</button></form>`
          : html`<p>Plan: <b>Free</b></p>`
      }
      <p><a href="/">See all plans</a></p>`,
    user,
  )
