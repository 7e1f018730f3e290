import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type Stripe from 'stripe'

const FOLDER = import.meta.dirname
const STRIPE_JS = join(FOLDER, '../../../dist/stripe-js.mjs')

/** The pages of the shop: with the module in the place of Stripe's, or with Stripe's own loader. */
const PAGES = {
  '/payment': { entry: 'payment-page.tsx', alias: true },
  '/card': { entry: 'card-page.ts', alias: true },
  '/loader': { entry: 'payment-page.tsx', alias: false },
} as const

export type Shop = { readonly url: string; close(): Promise<void> }

/** Serves a shop whose pages use Elements. Its policy allows its own script, and requests to the sandbox. */
export async function startShop(sandbox: {
  readonly url: string
  readonly stripe: Stripe
  readonly publishableKey: string
}): Promise<Shop> {
  const scripts = new Map<string, string>(
    await Promise.all(
      Object.entries(PAGES).map(async ([path, { entry, alias }]) => {
        const { outputFiles } = await build({
          entryPoints: [join(FOLDER, entry)],
          bundle: true,
          write: false,
          jsx: 'automatic',
          define: {
            KEY: JSON.stringify(sandbox.publishableKey),
            'process.env.NODE_ENV': '"production"',
            'globalThis.PAYTWIN_URL': JSON.stringify(sandbox.url),
          },
          ...(alias && { alias: { '@stripe/stripe-js': STRIPE_JS } }),
        })
        return [`${path}.js`, outputFiles[0]?.text ?? ''] as const
      }),
    ),
  )
  const { stripe } = sandbox
  const price_data = { currency: 'usd', unit_amount: 2000, product_data: { name: 'Notely' } }
  const creations: Record<string, () => Promise<{ id: string; client_secret: string | null }>> = {
    '/payments': () => stripe.paymentIntents.create({ amount: 2000, currency: 'usd' }),
    '/setups': () => stripe.setupIntents.create({}),
    '/sessions': () =>
      stripe.checkout.sessions.create({
        mode: 'payment',
        line_items: [{ price_data, quantity: 1 }],
        success_url: `${url}/done`,
      }),
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://shop')
    const script = scripts.get(pathname)
    const create = creations[pathname]
    response.setHeader('Content-Security-Policy', `default-src 'self'; connect-src 'self' ${sandbox.url}`)
    if (script !== undefined) response.setHeader('Content-Type', 'text/javascript').end(script)
    else if (create) {
      const { id, client_secret } = await create()
      response.end(JSON.stringify({ id, clientSecret: client_secret }))
    } else {
      const title = pathname === '/done' ? '<h1>Thank you</h1>' : ''
      const tag = pathname in PAGES ? `<script type="module" src="${pathname}.js"></script>` : ''
      response.setHeader('Content-Type', 'text/html')
      response.end(
        `<!doctype html><html lang="en"><title>Shop</title><meta name="viewport" content="width=device-width"><body>${title}</body>${tag}`,
      )
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
