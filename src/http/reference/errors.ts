import { EVENT_TYPES } from '../../core/event.ts'
import { asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import { type CodePage, ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import { type Document, responsesOf, routesOf } from './document.ts'
import type { Around, Words } from './fields.ts'
import { ERROR_OBJECTS, objectSection } from './objects.ts'
import { EVERYWHERE } from './route-section.ts'

/** Words of which a field is one, where they are too many to be repeated. */
export const WORDS: Words = [
  ['Types of events', EVENT_TYPES, 'types of events'],
  ['Errors', Object.keys(ERROR_CODES), 'codes'],
]

/** What is answered when something is wrong, and what each code means. */
export function errors(document: Document, around: Around): string {
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, CodePage][]
  const statuses = statusesByCode(document)
  const everywhere = EVERYWHERE.map((code) => linkTo(code, asCode(code))).join(', ')
  return [
    '## Errors',
    `Every refusal has the same form, ${linkTo('The Error object', 'Error')}: a type, a code for programs, a message for people, and \
the parameter that is to blame. A declined payment says more: ${linkTo('The PaymentFailure object', 'PaymentFailure')}. A 401 without a code, \
${linkTo('The AuthenticationError object', 'AuthenticationError')}, says that there is no key that opens, or that keys cannot be resolved \
right now.`,
    `Each route names the codes that are its own. Any route of their kind can answer that 401, and ${everywhere}.`,
    `The codes: ${codes.map(([code]) => linkTo(code, asCode(code))).join(', ')}.`,
    ...codes.map(([code, page]) => codeSection(code, page, statuses.get(code) ?? [])),
    ...ERROR_OBJECTS.map((name) => objectSection(name, around, '###')),
  ].join('\n\n')
}

function codeSection(code: ErrorCode, { type, means, param, remedy }: CodePage, statuses: readonly number[]) {
  const status = statuses.length > 0 ? `${statuses.join(' or ')}, ` : ''
  const explained = `${status}${asCode(type)}. ${asMarkdown(means)} ${asMarkdown(remedy)}`
  return `### ${asCode(code)}\n\n${explained} ${asCode('param')}: ${asMarkdown(param)}.`
}

/** With which statuses each code is answered. */
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

/** All that events tell, a line for the events of each kind of object. */
export function eventTypes(): string {
  const familyOf = (type: string) => type.slice(0, type.indexOf('.'))
  const families = [...new Set(EVENT_TYPES.map(familyOf))]
  const lines = families.map((family) => {
    const types = EVENT_TYPES.filter((type) => familyOf(type) === family)
    return `- ${types.map(asCode).join(', ')}`
  })
  return [
    '## Types of events',
    `Where a list of types is taken, a star stands for anything: ${asCode('invoice.*')}.`,
    lines.join('\n'),
  ].join('\n\n')
}
