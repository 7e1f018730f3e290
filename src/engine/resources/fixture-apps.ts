import { type AppParams, addApp, appOfId, makeApp } from '../access/oauth-app.ts'
import type { Engine } from '../machine/engine.ts'
import { type CreatedObject, FixtureIds, type FixturePosition, withErrorPath } from './fixture-names.ts'

/** The setting with the ids of the apps of the first fixtures, in their order. */
const SETTING = 'fixture_apps'

/** An app to create. */
export type AppEntry = {
  readonly at: FixturePosition
  readonly ref: string | null
  /** `digest`: the hex digest of a secret chosen beforehand; null for a random secret. */
  readonly params: AppParams & { readonly digest: string | null }
}

/** Creates apps within the open command. */
export const makeApps = (engine: Engine, entries: readonly AppEntry[]): CreatedObject[] =>
  entries.map((entry) => makeOne(engine, entry))

/** Lists the ids of the apps of a database's first fixtures: a reset keeps the ones that still exist. */
export const startAppIds = ({ store }: Engine): readonly string[] =>
  JSON.parse(store.directory.setting(SETTING) ?? '[]')

/**
 * Creates the apps of a database's first fixtures within the open command. An existing app is kept with its current
 * secret, so that configured clients continue to work and rotated secrets stay invalid.
 */
export function makeFirstApps(engine: Engine, entries: readonly AppEntry[]): CreatedObject[] {
  const known = startAppIds(engine)
  const apps = entries.map((entry, index) => {
    const id = known[index]
    if (id !== undefined && appOfId(engine, id)) return { id, made: [] }
    const made = makeOne(engine, entry)
    return { id: made.id, made: [made] }
  })
  engine.store.directory.setSetting(SETTING, JSON.stringify(apps.map(({ id }) => id)))
  return apps.flatMap(({ made }) => made)
}

function makeOne(engine: Engine, entry: AppEntry): CreatedObject {
  const { at, ref, params } = entry
  const { id, secret } = withErrorPath(entry, new FixtureIds(), () => issue(engine, params))
  return { object: 'app', ref, id, merchant_id: null, ...at, ...(secret !== undefined && { secret }) }
}

function issue(engine: Engine, { digest, ...params }: AppEntry['params']): { id: string; secret?: string } {
  if (digest !== null) return { id: addApp(engine, params, Buffer.from(digest, 'hex')).id }
  const { app, client_secret } = makeApp(engine, params)
  return { id: app.id, secret: client_secret }
}
