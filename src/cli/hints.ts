import type { Command } from 'commander'

/** Groups of synonymous verbs. A noun has at most one verb of each group. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['delete', 'remove', 'rm', 'del', 'destroy', 'clear', 'revoke', 'deny'],
  ['create', 'add', 'new', 'make', 'save'],
  ['list', 'ls', 'all'],
  ['show', 'get', 'retrieve', 'view', 'describe', 'info'],
  ['tail', 'watch', 'follow', 'stream'],
  ['retry', 'resend', 'redeliver'],
]

/** The commands that a word may stand for. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  'rate-limit': ['paytwin serve --rate-limit', 'paytwin faults add rate_limit'],
  latency: ['paytwin faults add latency'],
  fault: ['paytwin faults'],
  advance: ['paytwin clock advance'],
  freeze: ['paytwin clock freeze'],
  now: ['paytwin clock show'],
  tail: ['paytwin events tail'],
  deliveries: ['paytwin webhooks deliveries'],
  load: ['paytwin fixtures load'],
  restore: ['paytwin snapshots restore'],
  save: ['paytwin snapshots save'],
  login: ['paytwin keys create'],
  show: ['paytwin customers show', 'paytwin subscriptions show', 'paytwin invoices show'],
  timeline: ['paytwin customers show', 'paytwin subscriptions show', 'paytwin invoices show'],
  products: ['paytwin get products'],
  prices: ['paytwin get prices'],
  'payment-methods': ['paytwin get payment_methods'],
  payment_methods: ['paytwin get payment_methods'],
}

/** The commands that list the objects of a kind, by the name that an error about an unknown ID has for it. */
const LISTS: Readonly<Record<string, string>> = {
  customer: 'paytwin customers list',
  subscription: 'paytwin subscriptions list --status all',
  invoice: 'paytwin invoices list',
  'subscription schedule': 'paytwin schedules list',
  'credit note': 'paytwin credit_notes list',
  coupon: 'paytwin coupons list',
  'promotion code': 'paytwin promotion_codes list',
  meter: 'paytwin meters list',
  'payment intent': 'paytwin payment_intents list',
  charge: 'paytwin charges list',
  refund: 'paytwin refunds list',
  dispute: 'paytwin disputes list',
  event: 'paytwin events list',
  merchant: 'paytwin merchants list',
  key: 'paytwin keys list',
  app: 'paytwin apps list',
  authorization: 'paytwin oauth list',
  'webhook endpoint': 'paytwin webhooks list',
  'webhook delivery': 'paytwin webhooks deliveries',
  'test clock': 'paytwin get test_helpers/test_clocks',
  fault: 'paytwin faults list',
  snapshot: 'paytwin snapshots list',
  request: 'paytwin requests list',
  product: 'paytwin get products',
  price: 'paytwin get prices',
  'setup intent': 'paytwin get setup_intents',
  'checkout session': 'paytwin get checkout/sessions',
  mail: 'paytwin mail list',
}

const MISSING = /^No such ([a-z ]+): '/

/** Returns the kind of object in an error about an unknown ID, such as `payment intent`; undefined for other errors. */
export const missingNoun = (message: string): string | undefined => MISSING.exec(message)?.[1]

/** Returns the command that lists the valid IDs, for an error about an unknown ID; undefined for other errors. */
export const listCommandFor = (message: string): string | undefined => LISTS[missingNoun(message) ?? '']

const UNKNOWN = /^(error: unknown command '[^\n]*')(\n\(Did you mean [^\n]*\?\))?\n?$/

/** The error about a negative number, which commander parses as an option. */
const NEGATIVE = /^error: unknown option '-(\d[^'\n]*)'/

/**
 * Adds a suggestion to an error about a negative duration, or about an unknown command: an abbreviation (`sub list`), another verb (`faults remove`), or
 * another word (`rate-limit`). It replaces the suggestion of commander, which goes by spelling: reset for `snapshots create`.
 */
export function withHint(
  program: Command,
  [first = '', second = '']: readonly string[],
  text: string,
): string {
  const [, duration] = NEGATIVE.exec(text) ?? []
  if (duration !== undefined && first === 'clock') {
    return `error: '-${duration}' is negative, and a clock only moves forward: use 'paytwin clock advance ${duration}', or 'paytwin reset' to start again`
  }
  const [, error] = UNKNOWN.exec(text) ?? []
  if (error === undefined) return text
  const noun = program.commands.find((command) => command.name() === first)
  const meant = noun ? verbsLike(noun, second) : (MEANINGS[first.toLowerCase()] ?? nounsLike(program, first))
  return meant.length === 0 ? text : `${error}\n(Did you mean ${asAlternatives(meant)}?)`
}

const verbsLike = (noun: Command, word: string): string[] => {
  const group = SYNONYMS.find((words) => words.includes(word)) ?? []
  return noun.commands
    .map((command) => command.name())
    .filter((name) => group.includes(name) || isAbbreviation(word, name))
    .map((name) => `paytwin ${noun.name()} ${name}`)
}

const nounsLike = (program: Command, word: string): string[] =>
  program.commands
    .map((command) => command.name())
    .filter((name) => isAbbreviation(word.replaceAll('-', '_'), name))
    .map((name) => `paytwin ${name}`)

/** Whether a word of at least two letters is the beginning of a name. */
const isAbbreviation = (word: string, name: string): boolean =>
  word.length >= 2 && name.startsWith(word.toLowerCase())

const asAlternatives = (calls: readonly string[]): string =>
  calls.length === 1 ? `${calls[0]}` : `${calls.slice(0, -1).join(', ')} or ${calls.at(-1)}`
