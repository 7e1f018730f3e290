/// <reference lib="dom" />
import { loadStripe } from '@stripe/stripe-js'

/** A page with a card element and without a framework, as Stripe's older documentation shows it. */
declare const KEY: string

async function start() {
  document.body.innerHTML =
    '<h1>Card</h1><div id="card"></div><button id="pay">Pay</button><button id="save">Save card</button><button id="leave">Checkout</button><output></output>'
  const stripe = await loadStripe(KEY)
  if (!stripe) throw new Error('there is no Stripe')
  const card = stripe.elements().create('card', { hidePostalCode: true })
  card.mount('#card')
  const show = (text: string) => document.querySelector('output')?.replaceChildren(text)
  card.on('change', ({ complete, error }) => show(error?.message ?? (complete ? 'Complete' : '')))

  document.querySelector('#pay')?.addEventListener('click', async () => {
    const { clientSecret } = await (await fetch('/payments', { method: 'POST' })).json()
    const { error, paymentIntent } = await stripe.confirmCardPayment(clientSecret, {
      payment_method: { card, billing_details: { name: 'Ada' } },
    })
    show(error ? (error.message ?? '') : `Paid: ${paymentIntent.status}`)
  })
  document.querySelector('#save')?.addEventListener('click', async () => {
    const { error, paymentMethod } = await stripe.createPaymentMethod({ type: 'card', card })
    if (error) return show(error.message ?? '')
    show(`Saved: ${paymentMethod.card?.brand} ${paymentMethod.card?.last4}`)
  })
  document.querySelector('#leave')?.addEventListener('click', async () => {
    const { id } = await (await fetch('/sessions', { method: 'POST' })).json()
    // Older versions of Stripe.js have it.
    const { redirectToCheckout } = stripe as unknown as {
      redirectToCheckout: (options: { sessionId: string }) => Promise<unknown>
    }
    await redirectToCheckout({ sessionId: id })
  })
}
void start()
