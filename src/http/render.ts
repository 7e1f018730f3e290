import type { ApiError } from '../core/errors.ts'
import type { CurrentView } from '../engine/history/view.ts'
import { boundedText } from './bounded-text.ts'
import { OWN_FORM } from './dialect.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { Json } from './json.ts'
import { errorHeaders, type Headers, type Rendered } from './respond.ts'
import type { HttpServices } from './services.ts'
import { shownBody } from './shown-body.ts'
import { ShownObject } from './shown-object.ts'

export const NO_HEADERS: Headers = {}

/** How the response of a request is rendered. */
type Rendering = {
  readonly services: Pick<HttpServices, 'versions' | 'expandField' | 'url'>
  readonly options: ExchangeOptions
  readonly version: string
}

/**
 * Renders a body in a version, with the objects that it expands.
 * @throws ApiError parameter_invalid if it would be too long
 */
export function renderBody(
  { services, options: { form = OWN_FORM }, version, expands }: Rendering & { expands: readonly string[] },
  view: CurrentView,
  result: Json | ShownObject<Json>,
  status: number,
): Rendered {
  const own = result instanceof ShownObject ? result.body() : result
  const body = shownBody(services, { version, expands }, view, own)
  const text = boundedText(() => form.textOf(body), expands.length > 0 ? 'expand' : 'limit')
  return { status, text, headers: NO_HEADERS, body }
}

/** Renders an error in a version. @param view - the objects of the merchant; undefined for an error that shows none */
export function renderError(
  { services, options, version }: Rendering,
  error: ApiError,
  view?: CurrentView,
): Rendered {
  const { form = OWN_FORM } = options
  const url = services.url()
  const shown = form.errorOf(error, url)
  const own = (options.errorBody ?? form.errorBody)(shown, url)
  const body = view ? services.versions.downgrade(version, own, view) : own
  const { status, code } = shown
  return { status, text: form.textOf(body), headers: errorHeaders(shown), code, body }
}
