import { DIALECTS, type Dialect } from '../../core/dialect.ts'
import type { DaemonOptions } from '../../daemon/daemon.ts'
import { LOG_LEVELS } from '../../text/log-line.ts'
import { VERSION } from '../commands/version.ts'
import { wrongUsage } from '../failure.ts'
import { givenSecret } from '../given-secret.ts'
import { type Io, variable } from '../io.ts'
import { parseTime } from '../time.ts'
import { DEFAULT_DATA, DEFAULT_HOST, DEFAULT_PORT } from './connection.ts'

/** The flags of `serve`, as commander parses them. */
export type ServeFlags = {
  readonly port?: string
  readonly host?: string
  readonly publicUrl?: string
  readonly data?: string
  readonly ephemeral?: boolean
  readonly adminTokenFile?: string
  readonly generateAdminToken?: boolean
  readonly clock?: string
  readonly seed?: string
  readonly secretKey?: string
  readonly secretKeyFile?: string
  readonly dialect?: string
  readonly apiVersion?: string
  readonly fixtures?: readonly string[]
  readonly durability?: string
  readonly allowedHost?: readonly string[]
  readonly webhookAllow?: readonly string[]
  readonly rateLimit?: string
  readonly keyCacheTtl?: string
  readonly strictParams?: boolean
  readonly oauthErrors?: string
  readonly logLevel?: string
  readonly json?: boolean
}

/** The help of --dialect. */
export const DIALECT_HELP =
  "the merchant's API, which cannot be changed later; docs/stripe.md describes Stripe's"

/** The help of --api-version. */
export const API_VERSION_HELP =
  "the API version of the merchant's requests that name none (default: the newest)"

export const OAUTH_ERRORS = ['envelope', 'rfc6749'] as const
const DURABILITIES = ['normal', 'full'] as const

/**
 * Combines the flags of `serve` with the environment. Every flag can also be set as PAYTWIN_<NAME>; the flag takes precedence,
 * and an empty variable counts as unset.
 * @throws Failure 2 for an invalid value
 * See docs/contract/operator.md#options.
 */
export function serveOptions(flags: ServeFlags, io: Pick<Io, 'env'>): DaemonOptions {
  const value = (flag: string | undefined, name: string) => flag ?? variable(io, name) ?? null
  return {
    host: value(flags.host, 'PAYTWIN_HOST') ?? DEFAULT_HOST,
    publicUrl: publicUrl(value(flags.publicUrl, 'PAYTWIN_PUBLIC_URL')),
    port: number(value(flags.port, 'PAYTWIN_PORT'), '--port', { max: 65_535 }) ?? DEFAULT_PORT,
    data: dataFolder(flags, io),
    adminToken: variable(io, 'PAYTWIN_ADMIN_TOKEN') ?? null,
    adminTokenFile: value(flags.adminTokenFile, 'PAYTWIN_ADMIN_TOKEN_FILE'),
    generateAdminToken: flags.generateAdminToken ?? isSet(io, 'PAYTWIN_GENERATE_ADMIN_TOKEN'),
    clock: clock(value(flags.clock, 'PAYTWIN_CLOCK')),
    seed: value(flags.seed, 'PAYTWIN_SEED'),
    secretKey: secretKey(flags, io),
    dialect: dialect(value(flags.dialect, 'PAYTWIN_DIALECT')),
    apiVersion: value(flags.apiVersion, 'PAYTWIN_API_VERSION'),
    fixtures: flags.fixtures ?? paths(variable(io, 'PAYTWIN_FIXTURES')),
    durability: oneOf(
      DURABILITIES,
      '--durability',
      value(flags.durability, 'PAYTWIN_DURABILITY') ?? 'normal',
    ),
    allowedHosts: flags.allowedHost ?? names(variable(io, 'PAYTWIN_ALLOWED_HOST')),
    webhookAllow: flags.webhookAllow ?? names(variable(io, 'PAYTWIN_WEBHOOK_ALLOW')),
    rateLimit: number(value(flags.rateLimit, 'PAYTWIN_RATE_LIMIT'), '--rate-limit', { min: 1 }),
    keyCacheSeconds:
      number(value(flags.keyCacheTtl, 'PAYTWIN_KEY_CACHE_TTL'), '--key-cache-ttl', { max: 60 }) ?? 0,
    strictParams: flags.strictParams ?? isSet(io, 'PAYTWIN_STRICT_PARAMS'),
    oauthErrors: oneOf(
      OAUTH_ERRORS,
      '--oauth-errors',
      value(flags.oauthErrors, 'PAYTWIN_OAUTH_ERRORS') ?? 'envelope',
    ),
    logLevel: oneOf(LOG_LEVELS, '--log-level', value(flags.logLevel, 'PAYTWIN_LOG_LEVEL') ?? 'info'),
    json: flags.json ?? isSet(io, 'PAYTWIN_JSON'),
    version: VERSION,
  }
}

/** Returns the chosen key, or null to generate one. Options take precedence over variables. */
function secretKey(flags: ServeFlags, io: Pick<Io, 'env'>): string | null {
  const given = givenSecret('--secret-key', { secret: flags.secretKey, file: flags.secretKeyFile })
  if (given !== undefined) return given
  const [secret, file] = [variable(io, 'PAYTWIN_SECRET_KEY'), variable(io, 'PAYTWIN_SECRET_KEY_FILE')]
  return secret ?? givenSecret('--secret-key', { secret, file }) ?? null
}

/** Returns the data folder, or null for --ephemeral. Flags take precedence over variables. */
function dataFolder({ data, ephemeral }: ServeFlags, io: Pick<Io, 'env'>): string | null {
  if (data !== undefined && ephemeral) throw wrongUsage('--data and --ephemeral cannot be combined.')
  if (ephemeral) return null
  if (data !== undefined) return data
  const folder = variable(io, 'PAYTWIN_DATA')
  if (!isSet(io, 'PAYTWIN_EPHEMERAL')) return folder ?? DEFAULT_DATA
  if (folder !== undefined) {
    throw wrongUsage('PAYTWIN_DATA and PAYTWIN_EPHEMERAL are both set. Choose with --data or --ephemeral.')
  }
  return null
}

/** Reads a boolean variable. @throws Failure 2 for another value */
function isSet(io: Pick<Io, 'env'>, name: string): boolean {
  const value = variable(io, name)
  if (value === undefined || /^(0|false|no|off)$/i.test(value)) return false
  if (/^(1|true|yes|on)$/i.test(value)) return true
  throw wrongUsage(`${name} must be 1 or 0, not '${value}'.`)
}

function number(
  text: string | null,
  option: string,
  { min = 0, max = 999_999_999 }: { min?: number; max?: number },
): number | null {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  throw wrongUsage(`${option} must be an integer from ${min} to ${max}, not '${text}'.`)
}

/** Reads the address of the pages, which are at the root of a host. @throws Failure 2 */
function publicUrl(text: string | null): string | null {
  if (text === null) return null
  const { origin, href } = URL.canParse(text) ? new URL(text) : { origin: '', href: '' }
  if (/^https?:/.test(href) && href === `${origin}/`) return origin
  throw wrongUsage(
    `--public-url must be an address without a path, such as http://localhost:8080, not '${text}'.`,
  )
}

function clock(text: string | null): 'live' | number | null {
  if (text === null || text === 'live') return text
  const instant = parseTime(text)
  if (instant !== undefined) return instant
  throw wrongUsage(`--clock must be live or a time such as 2026-01-31T10:00:00Z, not '${text}'.`)
}

const dialect = (text: string | null): Dialect | null =>
  text === null ? null : oneOf(DIALECTS, '--dialect', text)

function oneOf<Value extends string>(values: readonly Value[], option: string, text: string): Value {
  const found = values.find((value) => value === text)
  if (found !== undefined) return found
  throw wrongUsage(`${option} must be one of ${values.join(', ')}, not '${text}'.`)
}

const names = (text: string | undefined): string[] =>
  text?.split(/[\s,]+/).filter((name) => name !== '') ?? []

/** Splits a list of paths at commas only, because paths may contain spaces. */
const paths = (text: string | undefined): string[] =>
  text?.split(',').flatMap((path) => path.trim() || []) ?? []
