import { stripeClient } from '@better-auth/stripe/client'
import { createAuthClient } from 'better-auth/client'

/** The account page of an application with better-auth, whose client leads the browser to Stripe's pages. */
const auth = createAuthClient({ plugins: [stripeClient({ subscription: true })] })
const urls = { successUrl: '/account', cancelUrl: '/account', returnUrl: '/account' }

const ACTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'Sign up': () =>
    auth.signUp.email({ email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }),
  'Choose Basic': () => auth.subscription.upgrade({ plan: 'basic', ...urls }),
  'Choose Pro': () => auth.subscription.upgrade({ plan: 'pro', ...urls }),
  'Manage billing': () => auth.subscription.billingPortal(urls),
  'Cancel plan': () => auth.subscription.cancel(urls),
  'Keep plan': () => auth.subscription.restore(),
}

const state = document.createElement('p')
state.setAttribute('role', 'status')

async function showState(): Promise<void> {
  const { data: session } = await auth.getSession()
  const { data: plans } = session ? await auth.subscription.list() : { data: [] }
  const [plan] = plans ?? []
  const text = plan ? `${plan.plan}, ${plan.status}${plan.cancelAtPeriodEnd ? ', ends' : ''}` : 'No plan'
  state.textContent = session ? `${session.user.name}: ${text}` : 'Signed out'
}

document.body.append(state)
for (const [name, act] of Object.entries(ACTIONS)) {
  const button = document.createElement('button')
  button.textContent = name
  button.addEventListener('click', () => act().then(showState))
  document.body.append(button)
}
await showState()
