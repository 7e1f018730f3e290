import { createHmac } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { randomToken } from '../../engine/machine/ids.ts'

/** paytwin: how long a browser stays signed in, in seconds. */
export const SESSION_SECONDS = 30 * 86_400
/** paytwin: the maximum number of signed-in browsers. A further one signs out the one that signed in first. */
const MAX_SESSIONS = 100
/** Logs mask words with this prefix: see text/secret.ts. */
const PREFIX = 'dss_test_'
const SECRET_LENGTH = 32

/** Stores the open sessions across restarts, without their secrets. */
export type SessionStore = {
  read(): string | undefined
  /** @throws if the disk is full */
  write(text: string): void
  /** Deletes all sessions, which works also on a full disk. */
  clear(): void
}

type Settings = {
  readonly store: SessionStore
  /** The key for the digests of secrets. A new key ends all stored sessions. */
  readonly key: Buffer
  /** Returns the present time in Unix seconds on the wall clock. */
  readonly now: () => number
}

type Open = {
  /** Unix seconds on the wall clock. */
  readonly expires: number
  /** Aborts what is sent to the browser when the session ends. */
  readonly ending: AbortController
}

/** The browsers that are signed in. Only digests of their secrets are kept, at most 100. */
export class Sessions {
  readonly #settings: Settings
  /** By the digest of the secret, oldest first. */
  readonly #open: Map<string, Open>
  /** Whether a session is stored that has ended, or that began when the wall clock was ahead: it counts as begun at the start. */
  #isUnsaved: boolean

  constructor(settings: Settings) {
    this.#settings = settings
    const latest = settings.now() + SESSION_SECONDS
    const stored = parse(settings.store.read())
    this.#open = new Map(stored.map(([name, expires]) => [name, opened(Math.min(expires, latest))]))
    this.#isUnsaved = stored.some(([, expires]) => expires > latest)
  }

  /** Begins a session. @returns its secret @throws if it cannot be stored; then it does not begin */
  begin(): string {
    const secret = `${PREFIX}${randomToken(SECRET_LENGTH)}`
    this.#removeExpired()
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= MAX_SESSIONS) this.#remove(oldest)
    this.#open.set(this.#nameOf(secret), opened(this.#settings.now() + SESSION_SECONDS))
    try {
      this.#save()
    } catch (error) {
      this.#remove(this.#nameOf(secret))
      throw error
    }
    return secret
  }

  /**
   * Returns a signal that aborts when the session ends; undefined if the session has ended or never began. Deletes one that has
   * expired.
   * @throws if that cannot be stored
   */
  signalOf(secret: string): AbortSignal | undefined {
    const session = this.#open.get(this.#nameOf(secret))
    if (!session || session.expires > this.#settings.now()) return session?.ending.signal
    this.deleteExpired()
    return undefined
  }

  /**
   * Ends a session in all browsers that have its secret.
   * @throws if that cannot be stored. Then no session survives a kill, unless the file cannot be cleared either. `deleteExpired` tries
   *   again
   */
  end(secret: string): void {
    this.#remove(this.#nameOf(secret))
    try {
      this.#save()
    } catch (error) {
      this.#settings.store.clear()
      throw error
    }
  }

  /**
   * Deletes the sessions that have expired, so that they stay so when the clock is set back, and those whose end could not be stored.
   * @throws if that cannot be stored: the next call tries again
   */
  deleteExpired(): void {
    this.#removeExpired()
    if (this.#isUnsaved) this.#save()
  }

  #removeExpired(): void {
    for (const [name, { expires }] of this.#open) {
      if (expires <= this.#settings.now()) this.#remove(name)
    }
  }

  #remove(name: string): void {
    this.#open.get(name)?.ending.abort()
    this.#open.delete(name)
    this.#isUnsaved = true
  }

  #save(): void {
    this.#settings.store.write(JSON.stringify([...this.#open].map(([name, { expires }]) => [name, expires])))
    this.#isUnsaved = false
  }

  #nameOf(secret: string): string {
    return createHmac('sha256', this.#settings.key).update(`session ${secret}`).digest('hex')
  }
}

function opened(expires: number): Open {
  const ending = new AbortController()
  // Each open page listens. Beyond ten, Node would print a warning.
  setMaxListeners(0, ending.signal)
  return { expires, ending }
}

/**
 * Reads stored sessions, the last ones if there are too many. Entries that are not valid are ignored, as in a file that was
 * changed by hand.
 */
function parse(text: string | undefined): [name: string, expires: number][] {
  if (text === undefined) return []
  return [...text.matchAll(/\["([0-9a-f]{64})",(\d{1,12})\]/g)]
    .slice(-MAX_SESSIONS)
    .map(([, name = '', expires]) => [name, Number(expires)])
}

/** Keeps the sessions as long as the process runs. */
export function sessionsInMemory(): SessionStore {
  let text: string | undefined
  return {
    read: () => text,
    write: (written) => {
      text = written
    },
    clear: () => {
      text = undefined
    },
  }
}
