/// <reference lib="dom" />
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import { loadStripe } from '@stripe/stripe-js'
import { type FormEvent, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** A page as Stripe's documentation shows it for React. It is bundled with paytwin/stripe-js in the place of @stripe/stripe-js. */
declare const KEY: string
const stripePromise = loadStripe(KEY)
const query = new URLSearchParams(window.location.search)

function CheckoutForm() {
  const stripe = useStripe()
  const elements = useElements()
  const [message, setMessage] = useState('')

  async function pay(event: FormEvent) {
    event.preventDefault()
    if (!stripe || !elements) return
    const confirmParams = { return_url: `${window.location.origin}/done` }
    if (query.has('stays')) {
      const { error, paymentIntent } = await stripe.confirmPayment({
        elements,
        confirmParams,
        redirect: 'if_required',
      })
      setMessage(error ? (error.message ?? '') : `Status: ${paymentIntent.status}`)
      return
    }
    const { error } = query.has('setup')
      ? await stripe.confirmSetup({ elements, confirmParams })
      : await stripe.confirmPayment({ elements, confirmParams })
    setMessage(error.message ?? '')
  }

  return (
    <form onSubmit={pay}>
      <PaymentElement onReady={(element) => element.focus()} />
      <button type="submit">Pay</button>
      <output>{message}</output>
    </form>
  )
}

async function start() {
  const response = await fetch(query.has('setup') ? '/setups' : '/payments', { method: 'POST' })
  const { clientSecret } = (await response.json()) as { clientSecret: string }
  createRoot(document.body).render(
    <StrictMode>
      <h1>Payment</h1>
      <Elements stripe={stripePromise} options={{ clientSecret }}>
        <CheckoutForm />
      </Elements>
    </StrictMode>,
  )
}
void start()
