import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { Api } from '../api.ts'
import type { Incoming, Serve } from '../incoming.ts'
import { type Match, RouteMemory } from '../route-memory.ts'
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
  const { api, routes } = registered({
    ...services,
    versions: STRIPE_VERSIONS,
    expandField,
    strictParams: true,
  })
  return (incoming, readBody) => {
    const match = routes.match(incoming.req.method, incoming.req.path)
    return match ? match.serve(withParams(incoming, match), readBody) : api.serveMissing(incoming, readBody)
  }
}

/** Registers all routes with a router of their own. */
function registered(services: HttpServices) {
  const app = new Hono({ router: new TrieRouter() })
  const api = new Api(app, services, { form: STRIPE_FORM })
  for (const register of STRIPE_ROUTES) register(api)
  return { api, routes: new RouteMemory(app, api.serves) }
}

/** Returns a request with the parameters of its path in this router. */
const withParams = ({ req, env }: Incoming, { param }: Match): Incoming => ({
  env,
  req: { method: req.method, path: req.path, url: req.url, header: (name) => req.header(name), param },
})
