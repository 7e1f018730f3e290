import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type Stripe from 'stripe'
import type { Database, User } from './database.ts'
import { accountPage, pricingPage, STYLE, signUpPage, welcomePage } from './views.ts'

/** What a deployment configures. */
export type Configuration = {
  readonly stripe: Stripe
  readonly database: Database
  /** The URL of the application. */
  readonly url: string
  readonly webhookSecret: string
  /** The configuration of the customer portal. */
  readonly portal: string
  /** The price of each plan. */
  readonly prices: Readonly<Record<string, string>>
}

const OFFERS = [
  { name: 'Basic', price: '$20', text: 'Notes for one person.' },
  { name: 'Pro', price: '$50', text: 'Notes for a team.' },
]
const COOKIE = 'notely'

/** Creates the application: a pricing page, an account page, and webhooks. It sells with Checkout and the customer portal. */
export function createApp({ stripe, database, url, webhookSecret, portal, prices }: Configuration): Hono {
  const app = new Hono()

  app.get('/style.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css' }))
  app.get('/', (c) => c.html(pricingPage(OFFERS, database.userOf(getCookie(c, COOKIE) ?? ''))))

  app.get('/sign-up', (c) => c.html(signUpPage(c.req.query('plan') ?? '')))
  app.post('/sign-up', async (c) => {
    const { email, plan } = await c.req.parseBody<{ email: string; plan: string }>()
    const user = database.signUp(email)
    const token = randomUUID()
    database.startSession(token, user)
    setCookie(c, COOKIE, token, { httpOnly: true, sameSite: 'Lax', path: '/' })
    return plan === '' ? c.redirect('/account', 303) : c.redirect(await checkoutUrl(user, plan), 303)
  })

  app.post('/checkout', async (c) => {
    const { plan } = await c.req.parseBody<{ plan: string }>()
    const user = database.userOf(getCookie(c, COOKIE) ?? '')
    if (!user) return c.redirect(`/sign-up?plan=${encodeURIComponent(plan)}`, 303)
    return c.redirect(await checkoutUrl(user, plan), 303)
  })

  async function checkoutUrl(user: User, plan: string): Promise<string> {
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: await customerOf(user),
      client_reference_id: String(user.id),
      line_items: [{ price: prices[plan] ?? '', quantity: 1 }],
      allow_promotion_codes: true,
      success_url: `${url}/welcome?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${url}/`,
    })
    return session.url ?? ''
  }

  async function customerOf(user: User): Promise<string> {
    if (user.customer) return user.customer
    const { id } = await stripe.customers.create({ email: user.email, metadata: { user: String(user.id) } })
    database.setCustomer(user, id)
    return id
  }

  app.get('/welcome', async (c) => {
    const user = database.userOf(getCookie(c, COOKIE) ?? '')
    const session = await stripe.checkout.sessions.retrieve(c.req.query('session_id') ?? '')
    if (!user || session.client_reference_id !== String(user.id)) return c.redirect('/', 303)
    return c.html(welcomePage(user))
  })

  app.get('/account', (c) => {
    const user = database.userOf(getCookie(c, COOKIE) ?? '')
    return user ? c.html(accountPage(user, database.planOf(user))) : c.redirect('/sign-up', 303)
  })

  app.post('/portal', async (c) => {
    const user = database.userOf(getCookie(c, COOKIE) ?? '')
    if (!user?.customer) return c.redirect('/', 303)
    const session = await stripe.billingPortal.sessions.create({
      customer: user.customer,
      configuration: portal,
      return_url: `${url}/account`,
    })
    return c.redirect(session.url, 303)
  })

  app.post('/webhooks', async (c) => {
    const signature = c.req.header('stripe-signature') ?? ''
    const event = stripe.webhooks.constructEvent(await c.req.text(), signature, webhookSecret)
    if (database.isNewWebhook(event.id)) await handle(event)
    return c.json({ received: true })
  })

  async function handle(event: Stripe.Event): Promise<void> {
    switch (event.type) {
      case 'checkout.session.completed':
        // The object of the event may be older than the subscription is now.
        return sync(idOf(event.data.object.subscription))
      case 'customer.subscription.created':
      case 'customer.subscription.updated':
      case 'customer.subscription.deleted':
        return sync(event.data.object.id)
      case 'invoice.payment_failed': {
        const user = database.customerUser(idOf(event.data.object.customer))
        if (user) database.sendMail(user, 'Your payment failed')
      }
    }
  }

  async function sync(id: string): Promise<void> {
    const found = await stripe.subscriptions.retrieve(id)
    const user = database.customerUser(idOf(found.customer))
    const [item] = found.items.data
    if (!user || !item) return
    const [plan = 'Unknown'] = Object.entries(prices).find(([, price]) => price === item.price.id) ?? []
    database.savePlan(user, {
      subscription: id,
      plan,
      status: found.status,
      ends: found.cancel_at,
      renews: item.current_period_end,
    })
  }

  return app
}

const idOf = (field: string | { id: string } | null): string =>
  typeof field === 'string' ? field : (field?.id ?? '')
