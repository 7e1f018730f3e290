import { Argument, type Command } from 'commander'
import { shellWord } from '../../text/shell-word.ts'
import { addVerb } from '../command.ts'
import { PRELOAD } from '../daemon/preload.ts'
import { nodeVariables } from '../daemon/run-environment.ts'
import { stripeVariables } from '../daemon/stripe-variables.ts'
import type { Io } from '../io.ts'
import { secretOf } from './forward.ts'

const LANGUAGES = ['shell', 'node', 'python', 'ruby', 'php', 'go'] as const
type Language = (typeof LANGUAGES)[number]

/** `paytwin stripe`. See docs/stripe.md#unchanged-applications. */
export function stripeCommands(program: Command, io: Io): void {
  const stripe = program
    .command('stripe')
    .description("Use a daemon with Stripe's libraries. docs/stripe.md lists the supported parts.")

  addVerb(stripe, io, {
    usage: 'env',
    about:
      "Print the settings with which Stripe's libraries use this daemon: for a shell, Node, Python, Ruby, PHP and Go, or for one of " +
      'them. `paytwin run --dialect stripe` sets the variables itself.',
    takes: new Argument('[LANGUAGE]', 'only this one').choices(LANGUAGES),
    examples: ['paytwin stripe env', 'eval "$(paytwin stripe env shell)"', 'paytwin stripe env python'],
    run: async ({ client, out }, _options, [only]) => {
      const { url, token } = client.address
      // Also shows that the daemon answers.
      await client.status()
      const variables = {
        ...stripeVariables({ url, webhookSecret: secretOf(token) }),
        ...(PRELOAD !== null && nodeVariables(PRELOAD)),
      }
      const settings = settingsOf(url, variables)
      const chosen = LANGUAGES.filter((language) => only === undefined || language === only)
      out.show({ url, variables, settings }, () => {
        for (const language of chosen) {
          if (only === undefined) out.line(`# ${language}`)
          for (const line of settings[language]) out.line(line)
          if (only === undefined && language !== 'go') out.line('')
        }
      })
    },
  })
}

/** The lines of each language. */
function settingsOf(
  url: string,
  variables: Readonly<Partial<Record<string, string>>>,
): Record<Language, string[]> {
  const { hostname, port, protocol } = new URL(url)
  const isHttps = protocol === 'https:'
  const portOf = port === '' ? (isHttps ? '443' : '80') : port
  return {
    shell: [
      ...Object.entries(variables).map(([name, value = '']) => `export ${name}=${shellWord(value)}`),
      "# STRIPE_SECRET_KEY is a key of your merchant: the one that you chose, or one of 'paytwin keys create'.",
    ],
    node: [
      ...(variables.NODE_OPTIONS
        ? [`NODE_OPTIONS=${shellWord(variables.NODE_OPTIONS)} PAYTWIN_URL=${url}`]
        : []),
      `new Stripe(key, { host: '${hostname}', port: ${portOf}, protocol: '${protocol.slice(0, -1)}' })`,
    ],
    python: [`stripe.api_base = "${url}"`],
    ruby: [`Stripe.api_base = "${url}"`],
    php: [`\\Stripe\\Stripe::$apiBase = '${url}';`],
    go: [
      `stripe.SetBackend(stripe.APIBackend, stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{URL: stripe.String("${url}")}))`,
    ],
  }
}
