import { createHmac, timingSafeEqual } from 'node:crypto'
import { digest } from '../../engine/machine/digest.ts'
import { randomToken } from '../../engine/machine/ids.ts'

/** Where the pages of the dashboard are. */
export const DASHBOARD_PATH = '/dashboard'
/** paytwin: how long a link can be opened, in seconds. */
const LINK_SECONDS = 3_600
/** paytwin: how long a browser stays signed in, in seconds. */
const SESSION_SECONDS = 30 * 86_400
/** paytwin: how many unopened links are kept. A further one replaces the oldest. */
const MAX_LINKS = 100
/** Logs mask words with these prefixes: see text/secret.ts. */
const LINK_PREFIX = 'dlk_test_'
const SESSION_PREFIX = 'dss_test_'
const SECRET_LENGTH = 32

/** A link that signs one browser in, once. */
export type DashboardLink = {
  readonly url: string
  /** Unix seconds on the wall clock. */
  readonly expires: number
}

type Settings = {
  readonly adminToken: string
  /** Returns the url of the daemon. Available once it listens. */
  readonly url: () => string
  /** Reads the wall clock in Unix milliseconds. It never goes back. */
  readonly wall: () => number
}

/**
 * Signs browsers in to the dashboard. A link has a one-time code, for which the browser gets a session as a cookie. Sessions
 * are not stored: they are signed with a key that is derived from the admin token, so that they survive a restart with the
 * same token. See docs/contract/operator.md#dashboard.
 */
export class DashboardAccess {
  readonly #settings: Settings
  readonly #key: Buffer
  /** The expiry of unopened links in Unix seconds, by the digest of their code. */
  readonly #links = new Map<string, number>()

  constructor(settings: Settings) {
    this.#settings = settings
    this.#key = createHmac('sha256', settings.adminToken).update('paytwin dashboard').digest()
  }

  /** Creates a link. It works once, within an hour. */
  createLink(): DashboardLink {
    const code = `${LINK_PREFIX}${randomToken(SECRET_LENGTH)}`
    const expires = this.#now + LINK_SECONDS
    const [oldest] = this.#links.keys()
    if (oldest !== undefined && this.#links.size >= MAX_LINKS) this.#links.delete(oldest)
    this.#links.set(nameOf(code), expires)
    return { url: `${this.#settings.url()}${DASHBOARD_PATH}/open?code=${code}`, expires }
  }

  /** Uses the code of a link up. @returns the cookie of a new session; undefined if the code is unknown, used or expired */
  open(code: string): string | undefined {
    const name = nameOf(code)
    const expires = this.#links.get(name)
    this.#links.delete(name)
    if (expires === undefined || expires <= this.#now) return undefined
    const content = `${SESSION_PREFIX}${randomToken(SECRET_LENGTH)}.${this.#now + SESSION_SECONDS}`
    return this.#cookie(`${content}.${this.#sign('session', content)}`, SESSION_SECONDS)
  }

  /** Returns the session of a request, if it is genuine and has not expired. @param cookies - by name */
  sessionOf(cookies: Readonly<Record<string, string>>): string | undefined {
    const session = cookies[this.#cookieName] ?? ''
    const [, content = '', expires = '', signature = ''] =
      /^(dss_test_[A-Za-z0-9]+\.(\d+))\.([0-9a-f]+)$/.exec(session) ?? []
    if (!isSame(signature, this.#sign('session', content))) return undefined
    return Number(expires) > this.#now ? session : undefined
  }

  /** Returns the token that the forms of a session contain: another website cannot read it. */
  formToken(session: string): string {
    return this.#sign('form', session)
  }

  isFormToken(session: string, given: string): boolean {
    return isSame(given, this.formToken(session))
  }

  /** The cookie that ends the session of a browser. */
  get endingCookie(): string {
    return this.#cookie('', 0)
  }

  /** Cookies do not distinguish ports, so the name does: daemons on other ports have sessions of their own. */
  get #cookieName(): string {
    return `paytwin_dashboard_${new URL(this.#settings.url()).port}`
  }

  /** The path keeps the cookie from other programs on the same host, which browsers would send it to. */
  #cookie(value: string, seconds: number): string {
    return `${this.#cookieName}=${value}; Max-Age=${seconds}; Path=${DASHBOARD_PATH}; HttpOnly; SameSite=Strict`
  }

  #sign(purpose: 'session' | 'form', content: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${content}`).digest('hex')
  }

  get #now(): number {
    return Math.floor(this.#settings.wall() / 1_000)
  }
}

const nameOf = (code: string): string => digest(code).toString('hex')

/** Compares in constant time. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))
