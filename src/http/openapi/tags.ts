import type { Registered } from '../route.ts'
import type { Schemas } from './json-schema.ts'

/** The routes of one resource, shown on one page of the documentation. */
export type Tag = {
  /** Such as payment_intents, or operator_keys. */
  readonly name: string
  /** Such as Payment intents. */
  readonly title: string
  readonly description: string
  /** The component that most of its routes return. */
  readonly component: string
  readonly routes: readonly Registered[]
}

/** Returns the resource of a path: the part after the prefix, and after test_helpers. */
export const resourceOf = (path: string): string =>
  /^\/(?:v1\/test_helpers|v1|_paytwin)\/([^/]+)/.exec(path)?.[1] ?? ''

/** Main components, by tag, if different from the one that most routes return. */
const COMPONENTS: Readonly<Record<string, string>> = {
  billing: 'BillingMeter',
  customers: 'Customer',
  oauth: 'Authorization',
}
/** Titles, by tag, if different from the name of the component. */
const TITLES: Readonly<Record<string, string>> = {
  billing: 'Billing meters',
  oauth: 'OAuth',
  operator_search: 'Search',
  operator_clock: 'Clocks',
  operator_apps: 'Apps',
  operator_authorizations: 'Authorizations',
  operator_reset: 'Reset',
  operator_webhooks: 'Webhooks',
}

/** Descriptions, by tag, if different from that of the component. */
const TEXTS: Readonly<Record<string, string>> = {
  operator_apps: 'OAuth apps: clients that merchants can authorize.',
  operator_authorizations: 'OAuth authorizations, and decisions without a browser.',
  operator_reset: 'Resets the data to the state of the first start.',
  operator_customers: 'Customers of any merchant with their timelines, as of now or an earlier time.',
  operator_subscriptions: 'Subscriptions of any merchant with their timelines, as of now or an earlier time.',
  operator_explanations: 'Why an object is in its status, and what will happen to it.',
  operator_invoices: 'Invoices of any merchant with their timelines, as of now or an earlier time.',
  operator_search:
    'Finds objects of a merchant by an id, a name, an email address or the number of an invoice.',
  operator_trigger: 'Creates the objects that emit an event of a given type.',
  operator_webhooks: 'Webhook endpoints of any merchant, and their deliveries.',
  operator_fixtures: 'Loads objects from files, all of them or none.',
}

/** Returns the tag of a route. */
export const tagOf = ({ path }: Pick<Registered, 'path'>): string =>
  path.startsWith('/_paytwin/') ? `operator_${resourceOf(path)}` : resourceOf(path)

/** Groups routes by tag, in the order of registration. */
export function tagsOf(routes: readonly Registered[], schemas: Schemas): readonly Tag[] {
  const names = [...new Set(routes.map(tagOf))]
  return names.map((name) => {
    const own = routes.filter((route) => tagOf(route) === name)
    const component =
      COMPONENTS[name] ?? mostFrequent(own.map(({ returns }) => returns.name.replace(/List$/, '')))
    const title = TITLES[name] ?? titleOf(resourceOf(own[0]?.path ?? ''), component)
    const description = TEXTS[name] ?? schemas[component]?.description ?? ''
    return { name, title, description, component, routes: own }
  })
}

/** Makes a title: `payment_intents`, `PaymentIntent` → Payment intents. A singular resource keeps the singular. */
function titleOf(resource: string, component: string): string {
  const words = component.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const isPlural = resource.replaceAll('_', '') === `${component.toLowerCase()}s`
  return isPlural ? `${words}s` : words
}

function mostFrequent(names: readonly string[]): string {
  const count = (name: string) => names.filter((other) => other === name).length
  return names.reduce((best, name) => (count(name) > count(best) ? name : best), names[0] ?? '')
}
