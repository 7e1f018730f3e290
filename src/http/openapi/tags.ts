import type { Registered } from '../route.ts'
import type { Schemas } from './json-schema.ts'

/** The routes of one resource, which the documentation shows on one page. */
export type Tag = {
  /** As in payment_intents, or operator_keys. */
  readonly name: string
  /** As in Payment intents. */
  readonly title: string
  readonly description: string
  /** The name of the component that most of its routes answer. */
  readonly component: string
  /** What else they answer that is explained with it. */
  readonly beside: readonly string[]
  readonly isOperators: boolean
  readonly routes: readonly Registered[]
}

/** The resource that a path is about: the part after the prefix, and after test_helpers. */
export const resourceOf = (path: string): string =>
  /^\/(?:v1\/test_helpers|v1|_paytwin)\/([^/]+)/.exec(path)?.[1] ?? ''

/** What a page is about where that is not what most of its routes answer. */
const COMPONENTS: Readonly<Record<string, string>> = { oauth: 'Authorization' }
/** What it is called where that is not the name of its component. */
const TITLES: Readonly<Record<string, string>> = {
  oauth: 'OAuth',
  operator_clock: 'Clocks',
  operator_apps: 'Apps',
  operator_authorizations: 'Authorizations',
  operator_reset: 'Reset',
  operator_webhooks: 'Webhooks',
}

/** What it is about where that is not what its component is. */
const TEXTS: Readonly<Record<string, string>> = {
  operator_apps: 'Apps that merchants can let in: clients of OAuth.',
  operator_authorizations: 'What apps ask merchants for, and decisions without a browser.',
  operator_reset: 'The way back to the state of the first start.',
  operator_customers: 'Customers with what happened to them and what will, now or as of a moment.',
  operator_subscriptions: 'Subscriptions with what happened to them and what will, now or as of a moment.',
  operator_invoices: 'Invoices with what happened to them and what will, now or as of a moment.',
  operator_trigger: 'Events on demand: with the objects that they tell of.',
  operator_webhooks: 'Webhook endpoints of any merchant, and what is on its way to them.',
  operator_fixtures: 'Objects that files describe, made together or not at all.',
}

/** What its page explains beside that and what it is made of. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  oauth: ['AuthorizationDecision', 'OAuthTokens'],
}

/** The tag under which a route stands. */
export const tagOf = ({ path }: Pick<Registered, 'path'>): string =>
  path.startsWith('/_paytwin/') ? `operator_${resourceOf(path)}` : resourceOf(path)

/** All tags, in the order in which their first routes were registered. */
export function tagsOf(routes: readonly Registered[], schemas: Schemas): readonly Tag[] {
  const names = [...new Set(routes.map(tagOf))]
  return names.map((name) => {
    const own = routes.filter((route) => tagOf(route) === name)
    const component =
      COMPONENTS[name] ?? mostFrequent(own.map(({ returns }) => returns.name.replace(/List$/, '')))
    const isOperators = name.startsWith('operator_')
    const title = TITLES[name] ?? titleOf(resourceOf(own[0]?.path ?? ''), component)
    const description = TEXTS[name] ?? schemas[component]?.description ?? ''
    const beside = BESIDE[name] ?? []
    return { name, title, description, component, beside, isOperators, routes: own }
  })
}

/** `payment_intents`, `PaymentIntent` → Payment intents. A resource of which there is only one has no plural. */
function titleOf(resource: string, component: string): string {
  const words = component.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const isPlural = resource.replaceAll('_', '') === `${component.toLowerCase()}s`
  return isPlural ? `${words}s` : words
}

function mostFrequent(names: readonly string[]): string {
  const count = (name: string) => names.filter((other) => other === name).length
  return names.reduce((best, name) => (count(name) > count(best) ? name : best), names[0] ?? '')
}
