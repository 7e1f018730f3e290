import * as z from 'zod'
import { type ApiError, parameterInvalid } from '../core/errors.ts'
import { MAX_PATTERN_LENGTH, matchEventTypes } from '../core/event.ts'
import { EVENT_TYPES, type EventType } from '../core/kinds.ts'
import { didYouMean } from '../text/nearest.ts'
import { deferred } from './deferred.ts'

/** An event type or a glob of event types. */
export const eventPattern = deferred(() => z.string().max(MAX_PATTERN_LENGTH))

/** Returns the event types that a name or glob matches. @throws ApiError parameter_invalid if it matches none */
export function matchingTypes(pattern: string, param: string): EventType[] {
  const matches = matchEventTypes(pattern)
  if (matches.length === 0) throw typeUnknown(pattern, param)
  return matches
}

/** Creates the error for a name or glob that matches no event type. */
export function typeUnknown(pattern: string, param: string): ApiError {
  const hint = didYouMean(pattern, pattern.includes('*') ? GLOBS : EVENT_TYPES)
  // A message has at most 1,000 characters: the list has room only without a suggestion.
  return parameterInvalid(
    param,
    `'${pattern}' matches no event type${hint || `. The types are ${EVENT_TYPES.join(', ')}.`}`,
  )
}

/** Globs such as `invoice.*`, as suggestions for a mistyped glob. */
const GLOBS = [...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`))]
