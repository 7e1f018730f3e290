import { TEST_METHOD_IDS } from '../../core/payment-method.ts'
import { DECLINE_CODES } from '../../core/processor.ts'
import { TEST_CARDS, type TestCard } from '../../core/test-card.ts'
import { asCode, asMarkdown } from '../../text/markdown.ts'
import type { Document } from './document.ts'
import { type Context, fieldLines, MARK_FIELD } from './fields.ts'
import { parameterLine } from './route-section.ts'

/** Describes the rules that all routes share. */
export const conventions = (document: Document, context: Context): string =>
  [
    '## Conventions',
    ...document.info.description.split('\n\n').map(asMarkdown),
    `Forms and queries write nested values with brackets: ${asCode('items[0][price]=price_…')}, \
${asCode('metadata[plan]=pro')}, ${asCode('expand[]=customer')}. An empty value there means null.`,
    '### Keys',
    `Each route lists the keys that it accepts. A key or an access token gives access to the data of its \
merchant only, the admin token to the data of all merchants. A missing or wrong key is answered with 401.`,
    keys(document),
    '### Headers',
    'Request headers:',
    Object.values(document.components.parameters)
      .map((header) => parameterLine(header, context).join('\n'))
      .join('\n'),
    'Response headers, where they apply:',
    Object.entries(document.components.headers)
      .map(([name, { description }]) => `- ${asCode(name)}: ${asMarkdown(description)}`)
      .join('\n'),
    '### Test cards',
    `These ids can be used wherever a payment method is accepted. Attaching one creates a payment method of the customer. \
Its outcomes can be scripted: ${asCode('outcomes')} lists the outcomes of the next charges, and ${asCode('then')} is the outcome of all \
later ones. An outcome is ${asCode('succeed')}, or ${asCode('decline:')} with a code (${DECLINES}) or a decline code, such as \
${asCode('decline:insufficient_funds')}.`,
    testCards,
    '### Lists',
    'Parameters of lists, where a route has them:',
    context.shared.map((parameter) => parameterLine(parameter, context).join('\n')).join('\n'),
    'A list is returned as a page:',
    listFields(context),
    '### Streams',
    streamText(document),
  ].join('\n\n')

const DECLINES = DECLINE_CODES.map((code) => asCode(code)).join(', ')

const pushed = TEST_METHOD_IDS.filter((id) => !Object.hasOwn(TEST_CARDS, id)).map((id) => asCode(id))

const testCards = [
  ...Object.entries(TEST_CARDS).map(
    ([id, card]) => `- ${asCode(id)}, ${asCode(card.number)}: ${outcomeOf(card)}.`,
  ),
  `- ${pushed.join(', ')}: push payments. The customer sends the money; a test settles the intent.`,
].join('\n')

/** Describes the behavior of a card when it is charged. */
function outcomeOf({ charge, authentication, refundFails, dispute }: TestCard): string {
  if (authentication)
    return 'requires authentication when the intent is confirmed, and is declined off session'
  if (dispute) return `succeeds, and is disputed: ${asCode(dispute)}`
  if (charge.approved) return refundFails ? 'succeeds; its refunds fail after one minute' : 'succeeds'
  const { code, decline_code } = charge
  return `is declined: ${asCode(code)}${decline_code === null ? '' : `, ${asCode(decline_code)}`}`
}

const keys = ({ components }: Document): string =>
  Object.entries(components.securitySchemes)
    .map(([name, { description }]) => `- **${KEY_NAMES[name] ?? name}**: ${asMarkdown(description)}`)
    .join('\n')

/** The headings of the security schemes. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  basic: 'Secret key, with HTTP Basic',
  bearer: 'Secret key, as Bearer',
  oauth: 'Access token, as Bearer',
  publishable: 'Publishable key, as Bearer',
  app: 'Id and secret of an app, with HTTP Basic',
  operator: 'Admin token, as Bearer',
}

/** Describes the fields of a list, with the list of customers as a model. */
function listFields(context: Context): string {
  const list = context.schemas.CustomerList
  if (!list) throw new Error('the OpenAPI document has no CustomerList')
  return fieldLines(list, context, MARK_FIELD)
    .join('\n')
    .replace('list of [Customer](#the-customer-object)', 'list of objects')
}

/** Describes streams. Their description is the same on all routes. */
function streamText({ paths }: Document): string {
  const contents = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((response) => ('content' in response ? [response.content['text/event-stream']] : []))
  const text = contents.find((content) => content !== undefined)?.schema.description
  if (text === undefined) throw new Error('the OpenAPI document has no stream')
  return `With ${asCode('Accept: text/event-stream')}, a route with a stream keeps the connection open and sends new entries as they are created. ${asMarkdown(text)} \
The stream continues after ${asCode('Last-Event-ID')} or ${asCode('starting_after')}. Without them it begins with the next entry.`
}
