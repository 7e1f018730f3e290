import { Client } from '../../client/client.ts'
import type { Dialect } from '../../core/dialect.ts'
import { secretOf, targetOf } from '../commands/forward.ts'
import { preloadIn } from './preload.ts'
import { stripeVariables } from './stripe-variables.ts'

/** The daemon of `paytwin run`, and the settings of its command. */
export type RunAddress = {
  readonly PAYTWIN_URL: string
  readonly PAYTWIN_SECRET_KEY: string | undefined
  readonly PAYTWIN_ADMIN_TOKEN: string | undefined
}

type Wanted = {
  readonly merchant: string
  readonly dialect: Dialect | null
  /** The URL of the application's webhooks, as given on the command line. */
  readonly forwardTo: string | undefined
  /** The file with the offset of shifted dates. */
  readonly dateFile: string | undefined
  /** The folder for the files that the command's processes load; null if it needs none. */
  readonly folder: string | null
  /** The previous value of NODE_OPTIONS. */
  readonly nodeOptions: string | undefined
}

/**
 * Returns the environment of the command of `paytwin run`. Creates the webhook endpoint, and for Stripe's API a publishable key.
 * See docs/contract/operator.md#run.
 */
export async function runEnvironment(
  address: RunAddress,
  { merchant, dialect, forwardTo, dateFile, folder, nodeOptions }: Wanted,
): Promise<Record<string, string | undefined>> {
  const { PAYTWIN_URL: url, PAYTWIN_SECRET_KEY: secretKey, PAYTWIN_ADMIN_TOKEN: token = null } = address
  const client = new Client({ url, token })
  const endpoint =
    forwardTo === undefined
      ? undefined
      : await client.createWebhook({ url: targetOf(forwardTo, token).url.href, merchant })
  const isStripe = dialect === 'stripe'
  const preload = isStripe || dateFile !== undefined ? preloadIn(folder) : null
  const publishable = isStripe ? await client.createKey({ merchant, publishable: true }) : undefined
  return {
    ...address,
    ...(endpoint && { PAYTWIN_WEBHOOK_SECRET: endpoint.secret }),
    ...(dateFile !== undefined && { PAYTWIN_DATE_FILE: dateFile }),
    ...(preload !== null && nodeVariables(preload, nodeOptions)),
    ...(isStripe &&
      stripeVariables({
        url,
        secretKey,
        publishableKey: publishable?.secret,
        // The secret of `paytwin listen`, which may forward the events.
        webhookSecret: endpoint?.secret ?? secretOf(token),
      })),
  }
}

/** Returns the variables that make Node load a script before the application. */
export const nodeVariables = (preload: string, nodeOptions = '') => ({
  NODE_OPTIONS:
    `${nodeOptions} --require=${/[\s"\\]/.test(preload) ? JSON.stringify(preload) : preload}`.trim(),
})
