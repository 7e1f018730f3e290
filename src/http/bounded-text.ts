import { parameterInvalid } from '../core/errors.ts'

/** The maximum length of a response, in characters. A longer one would take the memory of many requests. */
export const MAX_RESPONSE_LENGTH = 2 ** 25

/** What to do about a response that is too long because of its expansions. */
export const EXPAND_LESS = 'Expand fewer paths, or request shorter lists with limit'

const REMEDIES = { expand: EXPAND_LESS, limit: 'Request a shorter list' }

/**
 * Writes the text of a response. V8 cannot make texts of more than 512 MiB.
 * @param param - the parameter that makes responses so long; null without one
 * @throws ApiError parameter_invalid for a text that is too long
 */
export function boundedText(write: () => string, param: keyof typeof REMEDIES | null): string {
  const text = textUnlessTooLong(write)
  if (text !== undefined && text.length <= MAX_RESPONSE_LENGTH) return text
  throw parameterInvalid(
    param,
    `The response would have more than ${MAX_RESPONSE_LENGTH / 2 ** 20} MiB${param === null ? '' : `. ${REMEDIES[param]}`}`,
  )
}

function textUnlessTooLong(write: () => string): string | undefined {
  try {
    return write()
  } catch (error) {
    if (error instanceof RangeError && error.message === 'Invalid string length') return undefined
    throw error
  }
}
