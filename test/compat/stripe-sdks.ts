import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Stripe from 'stripe'
import type { WebhookRequest } from '../../src/webhooks/sender.ts'
import { TypeCheck } from '../http/stripe/check-types.ts'
import { startTwin, type Twin } from '../twin.ts'

/** The names under which package.json installs versions of the SDK, oldest first. */
export const SDKS = ['stripe-14', 'stripe-17', 'stripe'] as const
export type SdkName = (typeof SDKS)[number]

/** Fields that came with a new version of the API. Responses of older versions do not have them. */
const CAME_WITH_A_VERSION: readonly string[] = [
  ...['confirmation_secret', 'marketing_features', 'parent', 'payments', 'pricing', 'promotion', 'refunds'],
  ...['source', 'taxes', 'total_taxes'],
]

/** Since 2022-11-15, the refunds of a charge are shown on request only, although the types of stripe 14 require them. */
const ON_REQUEST = /\.refunds is missing$/

/** A version of the SDK, used as an application of its time does: the API version is its own. */
export type VersionedSdk = {
  readonly name: SdkName
  /** The class of the SDK. All versions have the calls of the story, with the types of the newest. */
  readonly Sdk: typeof Stripe
  readonly stripe: Stripe
  readonly twin: Twin
  /** What webhook endpoints received. */
  readonly received: WebhookRequest[]
  /** Returns how a body differs from the types of this version of the SDK. */
  readonly typeErrorsIn: (body: unknown) => string[]
  /** The responses that differed from them. */
  readonly illTyped: string[]
  close(): Promise<void>
}

/** Starts a sandbox, and the SDK of a version, whose requests are served in this process. Each response is checked against its types. */
export async function startVersion(name: SdkName): Promise<VersionedSdk> {
  const received: WebhookRequest[] = []
  const send = async (letter: WebhookRequest) => {
    received.push(letter)
    return { status: 200, body: '' } as const
  }
  const twin = await startTwin({ dialect: 'stripe', send })
  // A computed name, because the types of old versions declare a module `stripe` of their own.
  const { default: Sdk }: { default: typeof Stripe } = await import(name as string)
  const [own, newest] = [new TypeCheck(folderOf(name)), new TypeCheck(folderOf('stripe'))]
  const typeErrorsIn = (body: unknown) => {
    const errors = own.errorsIn(body)
    const undeclared = errors.length === 0 ? [] : newest.errorsIn(body)
    return errors.filter((error) => !ON_REQUEST.test(error) && !isAddedLater(error, undeclared))
  }
  const illTyped: string[] = []
  const httpClient = Sdk.createFetchHttpClient(async (url, init) => {
    const response = await twin.sandbox.app.request(String(url), init)
    const errors = response.ok ? typeErrorsIn(await response.clone().json()) : []
    illTyped.push(...errors.map((error) => `${init?.method} ${new URL(String(url)).pathname}: ${error}`))
    return response
  })
  const stripe = new Sdk(twin.secretKey, { httpClient, maxNetworkRetries: 0, telemetry: false })
  return { name, Sdk, stripe, twin, received, typeErrorsIn, illTyped, close: () => twin.close() }
}

function folderOf(name: SdkName): string {
  const [folder] = dirname(fileURLToPath(import.meta.resolve(name))).split(`/node_modules/${name}/`)
  return join(folder ?? '', 'node_modules', name)
}

/**
 * Reports whether an error is about a kind of object, or a field of an object, that Stripe added after this version of the SDK
 * without a new version of the API: it is in the responses of all versions.
 * @param newest - the errors that the types of the newest SDK give
 */
function isAddedLater(error: string, newest: readonly string[]): boolean {
  if (error.includes(' has the unknown object ')) return !newest.includes(error)
  const [, field] = /(\w+) is not declared$/.exec(error) ?? []
  return field !== undefined && !CAME_WITH_A_VERSION.includes(field) && !newest.includes(error)
}
