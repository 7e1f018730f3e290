import { EVENT_TYPES } from '../../core/kinds.ts'
import { type CodePage, ERROR_CODES, type ErrorCode } from '../../http/error-codes.ts'
import { errorExampleName } from '../../http/openapi/responses.ts'
import { asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import { type Document, responsesOf, routesOf } from './document.ts'
import type { Context, LongEnums } from './fields.ts'
import { ERROR_OBJECTS, errorExamples, objectSection } from './objects.ts'
import { EVERYWHERE } from './route-section.ts'

/** Long enums, which are listed once and linked from the fields. */
export const LONG_ENUMS: LongEnums = [
  ['Event types', EVENT_TYPES, 'event types'],
  ['Errors', Object.keys(ERROR_CODES), 'error codes'],
]

/** Describes the form of errors, and each error code. */
export function errors(document: Document, context: Context): string {
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, CodePage][]
  const statuses = statusesByCode(document)
  const everywhere = EVERYWHERE.map((code) => linkTo(code, asCode(code))).join(', ')
  return [
    '## Errors',
    `Every error has the same form, ${linkTo('The Error object', 'Error')}: a type, a code for programs, a message for people, and \
the parameter that caused it. A declined payment has further fields: ${linkTo('The PaymentFailure object', 'PaymentFailure')}. A 401 without a code, \
${linkTo('The AuthenticationError object', 'AuthenticationError')}, means a missing or invalid API key, or that authentication is \
unavailable.`,
    `Each route lists its specific codes. Most routes can also return a 401 without a code, and ${everywhere}.`,
    `Codes: ${codes.map(([code]) => linkTo(code, asCode(code))).join(', ')}.`,
    ...codes.flatMap(([code, page]) => {
      const found = statuses.get(code) ?? []
      const names = found.map((status) => errorExampleName(status, code))
      return [codeSection(code, page, found), ...errorExamples(names, context)]
    }),
    ...ERROR_OBJECTS.map((name) => objectSection(name, context, '###')),
  ].join('\n\n')
}

function codeSection(code: ErrorCode, { type, means, param, remedy }: CodePage, statuses: readonly number[]) {
  const status = statuses.length > 0 ? `${statuses.join(' or ')}, ` : ''
  const explained = `${status}${asCode(type)}. ${asMarkdown(means)} ${asMarkdown(remedy)}`
  return `### ${asCode(code)}\n\n${explained} ${asCode('param')}: ${asMarkdown(param)}.`
}

/** Returns the statuses of each code. */
function statusesByCode(document: Document): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const route of routesOf(document)) {
    for (const [status, { content }] of responsesOf(route, document)) {
      if (status < 400) continue
      for (const code of Object.keys(content['application/json']?.examples ?? {})) {
        const known = found.get(code) ?? []
        if (!known.includes(status))
          found.set(
            code,
            [...known, status].toSorted((left, right) => left - right),
          )
      }
    }
  }
  return found
}

/** Lists the event types, one line for each kind of object. */
export function eventTypes(): string {
  const familyOf = (type: string) => type.slice(0, type.indexOf('.'))
  const families = [...new Set(EVENT_TYPES.map(familyOf))]
  const lines = families.map((family) => {
    const types = EVENT_TYPES.filter((type) => familyOf(type) === family)
    return `- ${types.map(asCode).join(', ')}`
  })
  return [
    '## Event types',
    `In a list of event types, a star matches any text: ${asCode('invoice.*')}.`,
    lines.join('\n'),
  ].join('\n\n')
}
