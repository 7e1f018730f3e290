import { version } from '../../package.json'
import { openSandbox } from '../daemon/sandbox.ts'
import type { Documentation } from '../http/admin/services.ts'
import { URL_PLACEHOLDER } from '../http/documentation.ts'
import type { Examples } from '../http/openapi/examples.ts'
import type { ExampleSandbox } from '../http/openapi/recorder.ts'
import { recordExamples } from '../http/openapi/story.ts'
import { describe, type OpenApi } from '../http/openapi.ts'
import { pagesOf } from './pages/pages.ts'
import { referenceOf } from './reference/reference.ts'

const EXAMPLE_NOW = 1_769_853_600
const EXAMPLE_KEY = 'sk_test_51SecretSecretSecretSecretSe'
const EXAMPLE_TOKEN = 'the-operators-token-is-much-longer-than-this'

/** Generates the documentation that a daemon serves, by URL path. The result is deterministic. */
export async function makeDocumentation(): Promise<Documentation> {
  const url = URL_PLACEHOLDER
  const { document, examples } = await makeDescription(url)
  return {
    '/openapi.json': JSON.stringify(document),
    ...pagesOf(referenceOf(document, { ...examples, url }), url),
  }
}

type Described = { readonly document: OpenApi; readonly examples: Examples }

/** Describes the API, with an example of every route and every error. @param url - the URL of the daemon */
export async function makeDescription(url: string): Promise<Described> {
  const { routes, close } = await openExampleSandbox(url)
  try {
    const examples = await recordExamples(routes, (options) => openExampleSandbox(url, options))
    return { document: describe({ routes, url, version, examples }), examples }
  } finally {
    await close()
  }
}

/** Opens a sandbox with a fixed seed and fixed clocks. */
async function openExampleSandbox(url: string, { strictParams = false } = {}) {
  const { app, routes, adminToken, close } = await openSandbox({
    database: ':memory:',
    seed: '1',
    clock: EXAMPLE_NOW,
    wall: () => EXAMPLE_NOW * 1_000,
    stopwatch: () => 0,
    secretKey: EXAMPLE_KEY,
    adminToken: EXAMPLE_TOKEN,
    strictParams,
    send: async () => ({ status: 200, body: 'ok' }),
    url: () => url,
    version,
  })
  return {
    request: (path, init) => app.request(path, init),
    secretKey: EXAMPLE_KEY,
    adminToken,
    routes,
    close: () => close(),
  } satisfies ExampleSandbox & { readonly routes: typeof routes }
}
