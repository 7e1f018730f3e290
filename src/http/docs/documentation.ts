import type { AdminServices } from '../admin/services.ts'
import { recordExamples } from '../openapi/story.ts'
import { describe } from '../openapi.ts'
import type { Registered } from '../route.ts'
import { Pages } from './pages.ts'

/** The OpenAPI document and the pages of the documentation. */
export type Documentation = { readonly text: string; readonly pages: Pages }

/** Makes the documentation from the registered routes, with examples recorded in a sandbox. */
export async function makeDocumentation(
  site: Pick<AdminServices, 'openSpecimen' | 'url' | 'version'>,
  routes: readonly Registered[],
): Promise<Documentation> {
  const examples = await recordExamples(routes, site.openSpecimen)
  const description = describe({ routes, url: site.url(), version: site.version, examples })
  return { text: JSON.stringify(description.document), pages: new Pages(description, site.url()) }
}
