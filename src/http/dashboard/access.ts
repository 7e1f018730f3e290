import { createHmac } from 'node:crypto'
import { digest, isSameSecret } from '../../engine/machine/digest.ts'
import { randomToken } from '../../engine/machine/ids.ts'
import { cookieOf } from '../cookies.ts'
import type { ConnectionEnds } from './connection.ts'
import { SESSION_SECONDS, type SessionStore, Sessions, sessionsInMemory } from './sessions.ts'

/** The path of the dashboard. */
export const DASHBOARD_PATH = '/dashboard'
/** paytwin: how long a link can be opened, in seconds. */
const LINK_SECONDS = 3_600
/** paytwin: the maximum number of unopened links. A further one replaces the oldest. */
const MAX_LINKS = 100
/** Logs mask words with this prefix: see text/secret.ts. */
const LINK_PREFIX = 'dlk_test_'
const SECRET_LENGTH = 32

/** A link that signs one browser in, once. */
export type DashboardLink = {
  readonly url: string
  /** Unix seconds on the wall clock. */
  readonly expires: number
}

/** A browser that is signed in. */
export type OpenSession = {
  readonly secret: string
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
}

type Link = {
  /** Unix seconds on the wall clock. */
  readonly expires: number
  /** The only user of the machine who can open it; null for anybody. */
  readonly only: User | null
}

/** A user of the machine; undefined if it is not known. */
type User = { readonly id: number | undefined }

type Settings = {
  readonly adminToken: string
  /** Returns the address of the pages. Available once the daemon listens. */
  readonly url: () => string
  /** Reads the wall clock in Unix milliseconds. It never goes back. */
  readonly wall: () => number
  /** Keeps the sessions. Default: in memory. */
  readonly dashboardSessions?: SessionStore | undefined
  /** Returns the user at the other end of a connection; undefined if it is not known, as by default. */
  readonly userOfPeer?: ((ends: ConnectionEnds) => number | undefined) | undefined
}

/**
 * Signs browsers in to the dashboard. A link has a one-time code, for which the browser gets a session as a cookie. The key for
 * the digests of sessions is derived from the admin token, so a new token ends all sessions.
 * See docs/contract/operator.md#dashboard.
 */
export class DashboardAccess {
  readonly #settings: Settings
  readonly #key: Buffer
  /** The unopened links, by the digest of their code. */
  readonly #links = new Map<string, Link>()
  readonly #sessions: Sessions

  constructor(settings: Settings) {
    this.#settings = settings
    this.#key = createHmac('sha256', settings.adminToken).update('paytwin dashboard').digest()
    const store = settings.dashboardSessions ?? sessionsInMemory()
    this.#sessions = new Sessions({ store, key: this.#key, now: () => this.#now })
  }

  /** Creates a link. It works once, within an hour. @param only - a connection of the only user who can open it; null for anybody */
  createLink(only: ConnectionEnds | null = null): DashboardLink {
    const code = `${LINK_PREFIX}${randomToken(SECRET_LENGTH)}`
    const expires = this.#now + LINK_SECONDS
    const [oldest] = this.#links.keys()
    if (oldest !== undefined && this.#links.size >= MAX_LINKS) this.#links.delete(oldest)
    this.#links.set(nameOf(code), { expires, only: only && { id: this.#userOf(only) } })
    return { url: `${this.#settings.url()}${DASHBOARD_PATH}/open?code=${code}`, expires }
  }

  /**
   * Redeems the code of a link.
   * @param ends - of the connection of the browser
   * @returns the cookie of a new session; undefined if the code is unknown, used or expired, or for another user
   */
  open(code: string, ends: ConnectionEnds): string | undefined {
    const name = nameOf(code)
    const link = this.#links.get(name)
    if (link === undefined || link.expires <= this.#now) return undefined
    if (link.only !== null && link.only.id !== this.#userOf(ends)) return undefined
    const secret = this.#sessions.begin()
    this.#links.delete(name)
    return this.#cookie(secret, SESSION_SECONDS)
  }

  /** Returns the session of a request, if it is open. @param cookies - the header */
  sessionOf(cookies: string | undefined): OpenSession | undefined {
    const secret = cookieOf(cookies, this.#cookieName) ?? ''
    const signal = this.#sessions.signalOf(secret)
    return signal && { secret, signal }
  }

  /** Deletes the sessions that have expired. @throws if that cannot be stored */
  deleteExpired(): void {
    this.#sessions.deleteExpired()
  }

  /** Returns the token that the forms of a session contain: another website cannot read it. */
  formToken({ secret }: OpenSession): string {
    return createHmac('sha256', this.#key).update(`form ${secret}`).digest('hex')
  }

  isFormToken(session: OpenSession, given: string): boolean {
    return isSameSecret(given, this.formToken(session))
  }

  /** Ends a session, also in browsers that have a copy of its cookie. @returns the cookie that replaces it */
  end({ secret }: OpenSession): string {
    this.#sessions.end(secret)
    return this.#cookie('', 0)
  }

  /** Cookies do not distinguish ports, so the name does: daemons on other ports have sessions of their own. */
  get #cookieName(): string {
    return `paytwin_dashboard_${new URL(this.#settings.url()).port}`
  }

  /** Cookies do not distinguish ports, so the path keeps browsers from sending the cookie to other programs on the host. */
  #cookie(value: string, seconds: number): string {
    return `${this.#cookieName}=${value}; Max-Age=${seconds}; Path=${DASHBOARD_PATH}; HttpOnly; SameSite=Strict`
  }

  #userOf(ends: ConnectionEnds): number | undefined {
    return this.#settings.userOfPeer?.(ends)
  }

  get #now(): number {
    return Math.floor(this.#settings.wall() / 1_000)
  }
}

const nameOf = (code: string): string => digest(code).toString('hex')
