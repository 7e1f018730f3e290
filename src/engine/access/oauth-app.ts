import { timingSafeEqual } from 'node:crypto'
import { resourceMissing } from '../../core/errors.ts'
import { checkRedirectUri } from '../../core/redirect-uri.ts'
import type { StoredApp } from '../../store/oauth.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Sender } from '../machine/command-queue.ts'
import { digest } from '../machine/digest.ts'
import type { Engine } from '../machine/engine.ts'
import { randomToken } from '../machine/ids.ts'

const SECRET_LENGTH = 32
const SECRET_PREFIX = 'ocs_test_'
/** The form of a secret chosen beforehand. */
export const APP_SECRET_PATTERN = /^ocs_test_[A-Za-z0-9]{24,200}$/

/** Compared with the secret for an unknown app; no secret has this hash. */
const NO_HASH = Buffer.alloc(32)

/** An app: a client of OAuth. */
export type OAuthApp = {
  readonly id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  /** Wall time. */
  readonly created: number
}

/** The parameters of an app. */
export type AppParams = { readonly name: string; readonly redirect_uris: readonly string[] }

/** An app with its new secret, which cannot be read again. */
export type IssuedApp = { readonly app: OAuthApp; readonly client_secret: string }

/** Lists all apps, newest first. */
export const listApps = (engine: Engine): OAuthApp[] => engine.store.oauth.apps().map(appOf)

/** Finds an app by id; undefined when there is none. */
export function appOfId(engine: Engine, id: string): OAuthApp | undefined {
  const row = engine.store.oauth.app(id)
  return row && appOf(row)
}

/** Finds an app by id. @throws ApiError resource_missing */
export function findApp(engine: Engine, id: string, param = 'id'): OAuthApp {
  const app = appOfId(engine, id)
  if (!app) throw resourceMissing('app', id, param)
  return app
}

/**
 * Authenticates an app; undefined for an unknown app and for a wrong secret, which take the same time.
 * See docs/contract/oauth.md#token-endpoint; RFC 6749 2.3.1.
 */
export function authenticateApp(engine: Engine, id: string, client_secret: string): OAuthApp | undefined {
  const row = engine.store.oauth.app(id)
  const isRight = timingSafeEqual(row?.secret ?? NO_HASH, digest(client_secret))
  return row && isRight ? appOf(row) : undefined
}

/**
 * Creates an app.
 * @throws ApiError parameter_invalid, param redirect_uris[n]
 * See docs/contract/oauth.md#apps.
 */
export const createApp = (engine: Engine, given: AppParams, sender: Sender = {}): Promise<IssuedApp> =>
  engine.operatorCommand(() => makeApp(engine, given), sender)

/** Creates an app within the open command: see createApp. */
export function makeApp(engine: Engine, given: AppParams): IssuedApp {
  const client_secret = newSecret()
  return { app: addApp(engine, given, digest(client_secret)), client_secret }
}

/** Creates an app of whose secret only the digest is known: see makeApp. */
export function addApp(
  { store, ids, wall }: Engine,
  { name, redirect_uris }: AppParams,
  secret: Buffer,
): OAuthApp {
  redirect_uris.forEach((uri, index) => {
    checkRedirectUri(uri, `redirect_uris[${index}]`)
  })
  const app = { id: ids.next(0, 'app'), name, redirect_uris, created: wallSeconds(wall) }
  store.oauth.addApp({ ...app, redirect_uris: JSON.stringify(redirect_uris), secret })
  return app
}

/**
 * Gives an app a new secret and invalidates the old one. Tokens stay valid.
 * @throws ApiError resource_missing
 */
export function rotateSecret(engine: Engine, id: string, sender: Sender = {}): Promise<IssuedApp> {
  return engine.operatorCommand(() => {
    const app = findApp(engine, id)
    const client_secret = newSecret()
    engine.store.oauth.setSecret(id, digest(client_secret))
    return { app, client_secret }
  }, sender)
}

/** Deletes an app with its authorizations and tokens. @throws ApiError resource_missing */
export function deleteApp(engine: Engine, id: string, sender: Sender = {}): Promise<void> {
  return engine.operatorCommand(() => {
    findApp(engine, id)
    engine.store.oauth.removeApp(id)
  }, sender)
}

const newSecret = (): string => SECRET_PREFIX + randomToken(SECRET_LENGTH)

const appOf = ({ id, name, redirect_uris, created }: StoredApp): OAuthApp => ({
  id,
  name,
  redirect_uris: JSON.parse(redirect_uris),
  created,
})
