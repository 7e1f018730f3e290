import { z } from 'zod'
import { type ApiError, parameterInvalid } from '../core/errors.ts'
import { EVENT_TYPES, type EventType, MAX_PATTERN_LENGTH, matchEventTypes } from '../core/event.ts'
import { didYouMean } from '../text/nearest.ts'

/** A name or a glob of event types. */
export const eventPattern = z.string().max(MAX_PATTERN_LENGTH)

/** @throws ApiError parameter_invalid when a name or glob matches no type */
export function matchingTypes(pattern: string, param: string): EventType[] {
  const matches = matchEventTypes(pattern)
  if (matches.length === 0) throw typeUnknown(pattern, param)
  return matches
}

/** What is wrong with a name or glob that matches no type. */
export function typeUnknown(pattern: string, param: string): ApiError {
  const hint = didYouMean(pattern, pattern.includes('*') ? GLOBS : EVENT_TYPES)
  return parameterInvalid(
    param,
    `'${pattern}' matches no event type${hint || '.'} The types are ${EVENT_TYPES.join(', ')}.`,
  )
}

/** `invoice.*` and the like: what a mistyped glob may have been meant for. */
const GLOBS = [...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`))]
