import type { AdminSite } from '../admin/site.ts'
import { tellStory } from '../openapi/story.ts'
import { describe } from '../openapi.ts'
import type { Registered } from '../route.ts'
import { Pages } from './pages.ts'

/** The API described, for programs and for people. */
export type Documentation = { readonly text: string; readonly pages: Pages }

/** Describes the routes as they were registered, with the examples of a story told to a sandbox. */
export async function makeDocumentation(
  site: Pick<AdminSite, 'openSpecimen' | 'url' | 'version'>,
  routes: readonly Registered[],
): Promise<Documentation> {
  const examples = await tellStory(routes, site.openSpecimen)
  const description = describe({ routes, url: site.url(), version: site.version, examples })
  return { text: JSON.stringify(description.document), pages: new Pages(description, site.url()) }
}
