import { ApiError } from './errors.ts'

/** How many mistakes are told at once. */
const MAX_MISTAKES = 100

/**
 * What is wrong in fixtures: the param of the error is a path, as in `subscriptions[2].items[0].price`. An error takes time to make,
 * and a file may have many thousands: only those that are shown are made.
 */
export type Mistake = { readonly file: string; readonly error: () => ApiError }

/** The same as it is told. */
export type ToldMistake = {
  readonly file: string
  /** null when the whole file is to blame. */
  readonly path: string | null
  readonly code: string | null
  readonly message: string
}

/**
 * paytwin: fixtures that cannot be loaded. It is what the first mistake is by itself, with the file and the path in its
 * message; `mistakes` tells all that were found.
 */
export function fixturesRefused(first: Mistake, others: readonly Mistake[] = []): ApiError {
  const error = first.error()
  const { status, type, code, param, details } = error
  const mistakes = [
    told(first.file, error),
    ...others.slice(0, MAX_MISTAKES - 1).map((other) => told(other.file, other.error())),
  ]
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  const message = `${mistakeText({ file: first.file, path: param, message: error.message })}${rest}`
  return new ApiError({ status, type, code, param, message, details: { ...details, mistakes } })
}

const told = (file: string, { param, code, message }: ApiError): ToldMistake => ({
  file,
  path: param,
  code,
  message,
})

/** `shop.json: prices[0].currency: expected …` */
export const mistakeText = ({ file, path, message }: Omit<ToldMistake, 'code'>): string =>
  [file, ...(path === null ? [] : [path]), message].join(': ')

/** The mistakes of fixtures that were refused; none of any other error. */
export const mistakesOf = ({ details }: ApiError): readonly ToldMistake[] =>
  (details.mistakes ?? []) as readonly ToldMistake[]
