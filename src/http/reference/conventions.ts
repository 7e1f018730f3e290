import { TEST_CARDS, TEST_METHOD_IDS, type TestCard } from '../../core/payment-method.ts'
import { DECLINE_CODES } from '../../core/processor.ts'
import { asCode, asMarkdown } from '../../text/markdown.ts'
import type { Document } from './document.ts'
import { type Around, fieldLines, MARK_FIELD } from './fields.ts'
import { parameterLine } from './route-section.ts'

/** What holds for all routes, before they come one by one. */
export const conventions = (document: Document, around: Around): string =>
  [
    '## Conventions',
    ...document.info.description.split('\n\n').map(asMarkdown),
    `In a form and in a query, what is nested is written with brackets: ${asCode('items[0][price]=price_…')}, \
${asCode('metadata[plan]=pro')}, ${asCode('expand[]=customer')}. There an empty value stands for null.`,
    '### Keys',
    `A request says who asks. Each route names the keys that open it. A key or an access token opens what belongs to its \
merchant, and nothing else; the admin token what belongs to all. Where there is none or a wrong one, the answer is 401.`,
    keys(document),
    '### Headers',
    'Requests can have:',
    Object.values(document.components.parameters)
      .map((header) => parameterLine(header, around).join('\n'))
      .join('\n'),
    'Answers have, where it applies:',
    Object.entries(document.components.headers)
      .map(([name, { description }]) => `- ${asCode(name)}: ${asMarkdown(description)}`)
      .join('\n'),
    '### Test cards',
    `Wherever a payment method is accepted, one of these ids can be given. Attaching one makes a payment method of the customer's, \
which can be scripted too: ${asCode('outcomes')} names what the processor answers, one for each attempt, and ${asCode('then')} what it \
answers for ever after: ${asCode('succeed')}, or ${asCode('decline:')} and a code (${DECLINES}) or any decline code, as in \
${asCode('decline:insufficient_funds')}.`,
    testCards,
    '### Lists',
    'Lists are asked for with these parameters, as far as a route names them:',
    around.shared.map((parameter) => parameterLine(parameter, around).join('\n')).join('\n'),
    'A list is answered as a page:',
    listFields(around),
    '### Streams',
    streamText(document),
  ].join('\n\n')

const DECLINES = DECLINE_CODES.map((code) => asCode(code)).join(', ')

const pushed = TEST_METHOD_IDS.filter((id) => !Object.hasOwn(TEST_CARDS, id)).map((id) => asCode(id))

const testCards = [
  ...Object.entries(TEST_CARDS).map(
    ([id, card]) => `- ${asCode(id)}, ${asCode(card.number)}: ${answerOf(card)}.`,
  ),
  `- ${pushed.join(', ')}: no card. The customer sends the money, and a test settles the intent.`,
].join('\n')

/** What a card does when it is charged, in words. */
function answerOf({ charge, needsAuthentication, refundFails }: TestCard): string {
  if (needsAuthentication)
    return 'asks for authentication where it is confirmed by somebody, and is declined off session'
  if (charge.approved) return refundFails ? 'succeeds; its refunds fail a minute later' : 'succeeds'
  const { code, decline_code } = charge
  return `is declined: ${asCode(code)}${decline_code === null ? '' : `, ${asCode(decline_code)}`}`
}

const keys = ({ components }: Document): string =>
  Object.entries(components.securitySchemes)
    .map(([name, { description }]) => `- **${KEY_NAMES[name] ?? name}**: ${asMarkdown(description)}`)
    .join('\n')

/** How the schemes are called in a sentence; two of them carry the same key. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  basic: 'Secret key, with HTTP Basic',
  bearer: 'Secret key, as Bearer',
  oauth: 'Access token, as Bearer',
  publishable: 'Publishable key, as Bearer',
  app: 'Id and secret of an app, with HTTP Basic',
  operator: 'Admin token, as Bearer',
}

/** The form of all lists, as one of them has it. */
function listFields(around: Around): string {
  const list = around.schemas.CustomerList
  if (!list) throw new Error('the description has no list of customers')
  return fieldLines(list, around, MARK_FIELD)
    .join('\n')
    .replace('list of [Customer](#the-customer-object)', 'list of objects')
}

/** What the description says of streams is the same wherever there is one. */
function streamText({ paths }: Document): string {
  const contents = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((response) => ('content' in response ? [response.content['text/event-stream']] : []))
  const told = contents.find((content) => content !== undefined)?.schema.description
  if (told === undefined) throw new Error('the description has no stream')
  return `With ${asCode('Accept: text/event-stream')} a route that names a stream answers without an end. ${asMarkdown(told)} \
${asCode('Last-Event-ID')} or ${asCode('starting_after')} says after what it begins; without them it begins now.`
}
