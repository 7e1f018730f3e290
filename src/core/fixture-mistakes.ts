import { ApiError } from './errors.ts'

/** The maximum number of mistakes in one error. */
const MAX_MISTAKES = 100

/** The number of mistakes whose messages suggest a name: a suggestion compares up to 500 names. */
const MAX_SUGGESTIONS = 10

/**
 * A mistake in fixtures. The param of its error is a path, as in `subscriptions[2].items[0].price`. The error is
 * created only when it is reported: that takes time, and a file may have many thousands of mistakes. With `suggests`, its message
 * suggests a name in place of an unknown one.
 */
export type FixtureError = { readonly file: string; readonly error: (suggests: boolean) => ApiError }

/** A mistake as the error body reports it. */
export type ReportedMistake = {
  readonly file: string
  /** null when the mistake concerns the whole file. */
  readonly path: string | null
  readonly code: string | null
  readonly message: string
}

/**
 * paytwin: creates the error for fixtures that cannot be loaded. It has the status and code of the first mistake, whose
 * file and path are in the message. `mistakes` lists them all.
 */
export function fixturesInvalid(first: FixtureError, others: readonly FixtureError[] = []): ApiError {
  const error = first.error(true)
  const { status, type, code, param, details } = error
  const mistakes = [
    reported(first.file, error),
    ...others
      .slice(0, MAX_MISTAKES - 1)
      .map((other, index) => reported(other.file, other.error(index + 1 < MAX_SUGGESTIONS))),
  ]
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  const message = `${mistakeText({ file: first.file, path: param, message: error.message })}${rest}`
  return new ApiError({ status, type, code, param, message, details: { ...details, mistakes } })
}

const reported = (file: string, { param, code, message }: ApiError): ReportedMistake => ({
  file,
  path: param,
  code,
  message,
})

/** `shop.json: prices[0].currency: expected …` */
export const mistakeText = ({ file, path, message }: Omit<ReportedMistake, 'code'>): string =>
  [file, ...(path === null ? [] : [path]), message].join(': ')

/** Returns the mistakes of refused fixtures; none for any other error. */
export const mistakesOf = ({ details }: ApiError): readonly ReportedMistake[] =>
  (details.mistakes ?? []) as readonly ReportedMistake[]
