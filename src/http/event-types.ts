import { parameterInvalid } from '../core/errors.ts'
import { EVENT_TYPES, type EventType, matchEventTypes } from '../core/event.ts'

/** @throws ApiError parameter_invalid when a name or glob matches no type */
export function matchingTypes(pattern: string, param: string): EventType[] {
  const matches = matchEventTypes(pattern)
  if (matches.length === 0) {
    throw parameterInvalid(
      param,
      `'${pattern}' matches no event type. The types are ${EVENT_TYPES.join(', ')}.`,
    )
  }
  return matches
}
