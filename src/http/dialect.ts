import type * as z from 'zod'
import { DEFAULT_DIALECT, type Dialect } from '../core/dialect.ts'
import { type ApiError, invalidApiKey } from '../core/errors.ts'
import type { Caller } from './caller.ts'
import { checkExpands } from './expand.ts'
import type { Raw } from './form.ts'
import type { Incoming, Reply } from './incoming.ts'
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
  /** Refuses parameters that are not supported yet. @throws ApiError parameter_unknown */
  readonly refuseUnsupported: (schema: z.core.$ZodType, raw: Raw) => void
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
  refuseUnsupported,
  checkExpands,
}

/** Serves a request that turned out to be in another dialect. */
export type HandOver = (
  dialect: Dialect,
  incoming: Incoming,
  readBody: () => Promise<string>,
) => Promise<Reply | Response>

/** Thrown if the merchant of a request has another dialect, before the request is served. */
export class OtherDialect extends Error {
  readonly dialect: Dialect
  readonly serve: HandOver

  constructor(dialect: Dialect, serve: HandOver) {
    super(`the dialect of the merchant is ${dialect}`)
    this.dialect = dialect
    this.serve = serve
  }
}

type Served = { readonly form?: DialectForm; readonly handOver?: HandOver }

/** Checks the dialect of a caller. The operator sees every merchant in paytwin's own API. @throws OtherDialect */
export function checkDialect({ merchant, isOperator }: Caller, { form = OWN_FORM, handOver }: Served): void {
  const { dialect } = merchant.settings
  if (handOver && !isOperator && dialect !== form.name) throw new OtherDialect(dialect, handOver)
}

/**
 * Decides the dialect of the error for a request without a valid key. It is Stripe's if all merchants have that dialect, or if
 * one has it and a library of Stripe sent the request.
 * @throws OtherDialect
 */
export function checkDialectOfStranger(
  { engine }: Pick<HttpServices, 'engine'>,
  { req }: Incoming,
  { handOver }: Served,
): void {
  if (!handOver) return
  const isOfStripe = STRIPE_HEADERS.some((name) => req.header(name) !== undefined)
  const dialects = [...engine.merchants.values()].map(({ settings }) => settings.dialect)
  const speaks = isOfStripe ? dialects.includes('stripe') : dialects.every((name) => name === 'stripe')
  if (speaks) throw new OtherDialect('stripe', handOver)
}

/** Headers that only Stripe's libraries send. */
const STRIPE_HEADERS = ['stripe-version', 'x-stripe-client-user-agent']
