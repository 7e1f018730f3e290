import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { Api } from '../api.ts'
import type { Incoming, Serve } from '../incoming.ts'
import type { HttpServices } from '../services.ts'
import { expandField } from './expand-field.ts'
import { STRIPE_FORM } from './form.ts'
import { STRIPE_ROUTES } from './routes.ts'
import { STRIPE_VERSIONS } from './versions/history.ts'

/**
 * Creates Stripe's API: /v1 for merchants with the dialect stripe.
 * @returns the function that serves a request
 */
export function createStripeApi(services: HttpServices): Serve {
  const { api, match } = registered({
    ...services,
    versions: STRIPE_VERSIONS,
    expandField,
    strictParams: true,
  })
  return (incoming, readBody) => {
    const found = match(incoming.req.method, incoming.req.path)
    return found
      ? found.serve(withParams(incoming, found.params), readBody)
      : api.serveMissing(incoming, readBody)
  }
}

/** Registers all routes with a router of their own. */
function registered(services: HttpServices) {
  const app = new Hono({ router: new TrieRouter() })
  const api = new Api(app, services, { form: STRIPE_FORM })
  for (const register of STRIPE_ROUTES) register(api)
  const match = (method: string, path: string) => {
    const [[first] = []] = app.router.match(method, path)
    const serve = first && api.serves.get(first[0][0])
    return serve && { serve, params: first[1] }
  }
  return { api, match }
}

/** Returns a request with the parameters of its path in this router. */
const withParams = ({ req, env }: Incoming, params: Readonly<Record<string, unknown>>): Incoming => ({
  env,
  req: {
    method: req.method,
    path: req.path,
    url: req.url,
    header: (name) => req.header(name),
    param: (name) => {
      const value = params[name]
      return typeof value === 'string' ? decodeURIComponent(value) : undefined
    },
  },
})
