import type { Engine } from './engine.ts'
import { blaming, type Made, Names, type Place } from './fixture-names.ts'
import { type AppParams, addApp, appOfId, makeApp } from './oauth-app.ts'

/** Under which name the database remembers the ids of the apps that it began with, in the order of the fixtures. */
const SETTING = 'fixture_apps'

/** An app to be made. */
export type AppEntry = {
  readonly at: Place
  readonly ref: string | null
  /** `digest`: what is kept of a secret that was chosen beforehand, in hexadecimal digits; null for a random one. */
  readonly params: AppParams & { readonly digest: string | null }
}

/** Makes apps within the command under way. */
export const makeApps = (engine: Engine, entries: readonly AppEntry[]): Made[] =>
  entries.map((entry) => makeOne(engine, entry))

/** The apps of a database's first fixtures, as far as they are there: a reset leaves them. */
export const firstApps = ({ store }: Engine): readonly string[] =>
  JSON.parse(store.directory.setting(SETTING) ?? '[]')

/**
 * Makes the apps of a database's first fixtures within the command under way. One that is there stays as it is, with its
 * secret of today: who was configured with it goes on, and what was rotated away never comes back.
 */
export function makeFirstApps(engine: Engine, entries: readonly AppEntry[]): Made[] {
  const known = firstApps(engine)
  const apps = entries.map((entry, index) => {
    const id = known[index]
    if (id !== undefined && appOfId(engine, id)) return { id, made: [] }
    const made = makeOne(engine, entry)
    return { id: made.id, made: [made] }
  })
  engine.store.directory.setSetting(SETTING, JSON.stringify(apps.map(({ id }) => id)))
  return apps.flatMap(({ made }) => made)
}

function makeOne(engine: Engine, entry: AppEntry): Made {
  const { at, ref, params } = entry
  const { id, secret } = blaming(entry, new Names(), () => issue(engine, params))
  return { object: 'app', ref, id, merchant_id: null, ...at, ...(secret !== undefined && { secret }) }
}

function issue(engine: Engine, { digest, ...params }: AppEntry['params']): { id: string; secret?: string } {
  if (digest !== null) return { id: addApp(engine, params, Buffer.from(digest, 'hex')).id }
  const { app, client_secret } = makeApp(engine, params)
  return { id: app.id, secret: client_secret }
}
