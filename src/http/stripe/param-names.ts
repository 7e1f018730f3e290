import { ApiError } from '../../core/errors.ts'

/**
 * Runs a use case whose parameters have other names in Stripe's API, so that errors have Stripe's names.
 * @param names - Stripe's name of each parameter that has another one
 */
export function withParamNames<T>(names: Readonly<Record<string, string>>, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const param = error instanceof ApiError && error.param !== null ? names[error.param] : undefined
    if (!(error instanceof ApiError) || param === undefined) throw error
    const { status, type, code, message, details } = error
    throw new ApiError({ status, type, code, message, details, param })
  }
}
