/** @jsxImportSource hono/jsx */
import type { Fault, Key, List, Snapshot } from '../client/types.ts'
import type { PageContext, Section } from './context.ts'
import { FaultsPanel } from './fault-forms.tsx'
import { FixturesPanel, loadFixtures } from './fixture-forms.tsx'
import { framed } from './frame.tsx'
import { createKey, KeysPanel } from './key-forms.tsx'
import { MerchantsPanel } from './merchant-forms.tsx'
import { doScene } from './scene-actions.ts'
import { SnapshotsPanel, showDifferences } from './snapshot-forms.tsx'

const MAX_KEYS = 100

/** The page that prepares the sandbox: fixtures, faults, snapshots, keys and merchants. */
export const scenePages: Section = (context) => {
  const [verb, ...others] = context.rest
  if (context.method === 'GET') {
    if (verb === undefined) return show(context)
    return verb === 'compare' && others.length === 1 ? showDifferences(context, others[0] ?? '') : undefined
  }
  if (verb === undefined || others.length > 1) return undefined
  // The response shows what was created, with secrets, so that no page in the browser's history has them.
  if (verb === 'fixtures') return loadFixtures(context)
  if (verb === 'keys' && others.length === 0) return createKey(context)
  return doScene(context, verb, others[0])
}

/** The notices after an action, by the parameter `done` of the page. */
const DONE: Readonly<Record<string, string>> = {
  fault: 'The fault is active.',
  'fault-removed': 'The fault was removed.',
  saved: 'The snapshot was saved.',
  restored: 'The snapshot was restored.',
  deleted: 'The snapshot was deleted.',
  revoked: 'The key was revoked.',
  merchant: 'The merchant was created. It needs a key, which you can create below.',
  'merchant-deleted': 'The merchant was deleted.',
  reset: 'The data was reset to the first start.',
}

async function show(context: PageContext): Promise<Response> {
  const { api, merchant, query } = context
  const [faults, snapshots, keys] = await Promise.all([
    api.get<List<Fault>>('faults'),
    api.get<List<Snapshot>>('snapshots'),
    api.get<List<Key>>('keys', { merchant: merchant.id, limit: MAX_KEYS }),
  ])
  const done = query.get('done') ?? ''
  return framed(context, {
    title: 'Scenes',
    content: (
      <>
        {Object.hasOwn(DONE, done) ? (
          <p class="notice good" role="status">
            {DONE[done]}
          </p>
        ) : null}
        <div class="scenes">
          <FixturesPanel {...context} />
          <FaultsPanel {...context} faults={faults.data} />
          <SnapshotsPanel {...context} snapshots={snapshots.data} />
          <KeysPanel {...context} keys={keys.data} />
          <MerchantsPanel {...context} />
        </div>
      </>
    ),
  })
}
