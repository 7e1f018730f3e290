import type { CurrentView } from '../engine/history/view.ts'
import { expand, expandsConverted } from './expand.ts'
import type { Json } from './json.ts'
import type { HttpServices } from './services.ts'

/**
 * Converts a body of the newest version to the version of a request, and replaces ids along the paths that the request expands.
 * The paths name fields of that version.
 */
export function shownBody(
  { versions, expandField }: Pick<HttpServices, 'versions' | 'expandField'>,
  { version, expands }: { readonly version: string; readonly expands: readonly string[] },
  view: CurrentView,
  body: Json,
): Json {
  const convert = (object: Json) => versions.downgrade(version, object, view)
  return expand(view, convert(body), expands, expandsConverted(expandField, convert))
}
