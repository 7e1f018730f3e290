import type * as z from 'zod'
import { DEFAULT_DIALECT, type Dialect } from '../core/dialect.ts'
import { type ApiError, invalidApiKey } from '../core/errors.ts'
import type { Caller } from './caller.ts'
import { checkExpands } from './expand.ts'
import type { Raw } from './form.ts'
import type { Incoming, Serve } from './incoming.ts'
import type { Json } from './json.ts'
import { errorBody, textOf } from './respond.ts'
import type { Component } from './schemas/component.ts'
import type { HttpServices } from './services.ts'
import { refuseUnsupported } from './unsupported-params.ts'

/** The differences between the dialects in the checks of requests and the form of responses. */
export type DialectForm = {
  readonly name: Dialect
  /** The header with the API version of a request and of its response. */
  readonly versionHeader: string
  /** The environment of the responses, as a field of each body; false if only objects have it. */
  readonly textOf: (body: Json) => string
  /** Converts an error to one of the dialect. */
  readonly errorOf: (error: ApiError, url: string) => ApiError
  readonly errorBody: (error: ApiError, url: string) => Json
  /** Creates the error for a publishable key on a route that needs a secret key. */
  readonly publishableKeyError: () => ApiError
  /** Refuses a request that names another account than that of its merchant. @throws ApiError parameter_invalid */
  readonly checkAccount: (request: Incoming['req'], merchant: string) => void
  /** Refuses parameters that are not supported yet. @throws ApiError parameter_unknown */
  readonly refuseUnsupported: (schema: z.core.$ZodType, raw: Raw) => void
  /** Refuses parameters in the query of a request that takes them in its body. @throws ApiError parameter_invalid */
  readonly refuseQuery: (request: Incoming['req']) => void
  /** Checks the paths of `expand` in a version. @throws ApiError parameter_invalid */
  readonly checkExpands: (component: Component, paths: readonly string[], version: string) => void
}

/** paytwin's own API. */
export const OWN_FORM: DialectForm = {
  name: DEFAULT_DIALECT,
  versionHeader: 'X-API-Version',
  textOf,
  errorOf: (error) => error,
  errorBody,
  publishableKeyError: invalidApiKey,
  checkAccount: () => undefined,
  refuseUnsupported,
  refuseQuery: () => undefined,
  checkExpands,
}

/**
 * Thrown if the merchant of a request has another dialect, before the request is served. An API throws the same error each time,
 * because creating one would take longer than authenticating the caller.
 */
export class OtherDialect extends Error {
  /** Serves the request in the other dialect. */
  readonly serve: Serve

  constructor(serve: Serve) {
    super('the merchant has another dialect')
    this.serve = serve
  }
}

type Served = { readonly form?: DialectForm; readonly otherDialect?: OtherDialect }

/** Checks the dialect of a caller. The operator sees every merchant in paytwin's own API. @throws OtherDialect */
export function checkDialect(
  { merchant, isOperator }: Caller,
  { form = OWN_FORM, otherDialect }: Served,
): void {
  if (otherDialect && !isOperator && merchant.settings.dialect !== form.name) throw otherDialect
}

/**
 * Decides the dialect of the error for a request without a valid key. It is Stripe's if all merchants have that dialect, or if
 * one has it and a library of Stripe sent the request.
 * @throws OtherDialect
 */
export function checkDialectOfStranger(
  { engine }: Pick<HttpServices, 'engine'>,
  { req }: Incoming,
  { otherDialect }: Served,
): void {
  if (!otherDialect) return
  const isOfStripe = STRIPE_HEADERS.some((name) => req.header(name) !== undefined)
  const dialects = [...engine.merchants.values()].map(({ settings }) => settings.dialect)
  const speaks = isOfStripe ? dialects.includes('stripe') : dialects.every((name) => name === 'stripe')
  if (speaks) throw otherDialect
}

/** Headers that only Stripe's libraries send. */
const STRIPE_HEADERS = ['stripe-version', 'x-stripe-client-user-agent']
