import * as clocks from './commands-clock.ts'
import * as credits from './commands-credit.ts'
import * as discounts from './commands-discounts.ts'
import * as disputes from './commands-disputes.ts'
import * as endings from './commands-ending.ts'
import * as intents from './commands-intents.ts'
import * as items from './commands-items.ts'
import * as objects from './commands-objects.ts'
import * as payments from './commands-payments.ts'
import * as plans from './commands-plan.ts'
import { previewInvoice, previewSubscription } from './commands-previews.ts'
import * as scheduleChanges from './commands-schedule-changes.ts'
import * as scheduleDefaults from './commands-schedule-defaults.ts'
import * as schedules from './commands-schedules.ts'
import { subscribe } from './commands-subscribe.ts'
import * as subscriptions from './commands-subscriptions.ts'
import * as usage from './commands-usage.ts'
import { Dice } from './dice.ts'
import { type Command, done } from './model-play.ts'

/** The commands, each with its weight. */
const COMMANDS = {
  'create price': [4, objects.createPrice],
  'create customer': [6, objects.createCustomer],
  'give default': [5, objects.giveDefault],
  'attach method': [5, objects.attachMethod],
  'detach method': [2, objects.detachMethod],
  'leave to default': [2, subscriptions.leaveToDefault],
  'attach again': [2, objects.attachAgain],
  'script method': [6, objects.scriptMethod],
  'create test clock': [2, objects.createTestClock],
  'delete test clock': [1, objects.deleteTestClock],
  'delete customer': [1, objects.deleteCustomer],
  subscribe: [22, subscribe],
  'pause collection': [4, subscriptions.pauseCollection],
  'end pause': [2, subscriptions.endPause],
  'change plan': [24, plans.changePlan],
  'change plan when paid': [12, plans.changeWhenPaid],
  'change plan again': [16, plans.changeAgain],
  'preview invoice': [10, previewInvoice],
  'preview subscription': [6, previewSubscription],
  'change method': [4, subscriptions.changeMethod],
  'change collection': [4, subscriptions.changeCollection],
  describe: [2, subscriptions.describeIt],
  'cancel at': [3, subscriptions.cancelAt],
  'cancel at period end': [3, subscriptions.cancelAtPeriodEnd],
  'extend trial': [2, subscriptions.extendTrial],
  'end trial now': [3, subscriptions.endTrialAtOnce],
  'cancel now': [4, endings.cancelNow],
  'cancel later': [2, endings.cancelLater],
  resume: [6, subscriptions.resume],
  'create schedule': [8, schedules.createSchedule],
  'schedule subscription': [5, schedules.scheduleSubscription],
  'update schedule': [14, scheduleChanges.updateSchedule],
  'change default settings': [4, scheduleDefaults.changeDefaults],
  'release schedule': [2, scheduleChanges.releaseSchedule],
  'cancel schedule': [2, scheduleChanges.cancelSchedule],
  'change balance': [5, items.changeBalanceOf],
  'create item': [8, items.createItem],
  'update item': [2, items.updateItem],
  'delete item': [1, items.deleteItem],
  'create invoice': [4, payments.createInvoice],
  'delete invoice': [2, payments.deleteInvoice],
  'finalize invoice': [4, payments.finalizeInvoice],
  'mark uncollectible': [3, payments.markUncollectible],
  'void invoice': [3, payments.voidOne],
  'pay invoice': [8, payments.payInvoice],
  'create intent': [5, intents.createIntent],
  'confirm intent': [6, intents.confirmIntent],
  'cancel intent': [2, intents.cancelIntent],
  'confirm later': [3, intents.confirmLater],
  'settle intent': [3, intents.settleIntent],
  refund: [7, payments.refund],
  'create product': [2, discounts.createProduct],
  'create coupon': [8, discounts.createCoupon],
  'delete coupon': [1, discounts.deleteCoupon],
  'create code': [5, discounts.createCode],
  'switch code': [2, discounts.switchCode],
  'discount customer': [6, discounts.discountCustomer],
  'discount subscription': [14, discounts.discountSubscription],
  'remove discounts': [2, discounts.removeDiscounts],
  'create meter': [2, usage.createMeter],
  'switch meter': [1, usage.switchMeter],
  'create metered price': [4, usage.createMeteredPrice],
  'report usage': [24, usage.reportUsage],
  'cancel usage': [3, usage.cancelUsage],
  'summarize usage': [3, usage.summarizeUsage],
  'answer a dispute': [6, disputes.answerDispute],
  'credit an invoice': [20, credits.creditInvoice],
  'preview a credit note': [2, credits.previewNote],
  'void credit note': [4, credits.voidNote],
  'set final action': [2, setFinalAction],
  'set notices': [5, setNotices],
  'add fault': [3, addFault],
  'advance main clock': [40, clocks.advanceMain],
  'advance test clock': [12, clocks.advanceTest],
} as const satisfies Record<string, readonly [number, Command]>

/** The actions that concern all merchants; the runner does them. */
const WHOLE = { 'save snapshot': 2, 'restore snapshot': 2, reset: 1 } as const

export type CommandName = keyof typeof COMMANDS
export type WholeName = keyof typeof WHOLE

/** One step of a simulation. The steps before it and its dice determine its action. */
export type Step = {
  readonly merchant: number
  readonly name: CommandName | WholeName
  readonly dice: number
}

export const MERCHANTS = 3

/** Snapshots and resets discard much state, so they have a third of their weights. */
const weights = {
  ...(Object.fromEntries(Object.entries(COMMANDS).map(([name, [weight]]) => [name, 3 * weight])) as Record<
    CommandName,
    number
  >),
  ...WHOLE,
}

/** The first steps of each merchant, which create objects for the later ones. */
const BEGINNING: readonly CommandName[] = [
  'create meter',
  'create metered price',
  'create product',
  'create coupon',
  'create coupon',
  'create price',
  'create price',
  'create customer',
  'give default',
  'create customer',
  'attach method',
  'subscribe',
  'subscribe',
]

/**
 * Generates the steps of a seed; a smaller number gives the first ones.
 * @param given.isVaried - whether the seed also varies the weights of the commands
 */
export function stepsOf(seed: number, count: number, { isVaried = false } = {}): Step[] {
  const dice = new Dice(seed)
  const chosen = isVaried ? dice.varied(weights) : weights
  const step = (merchant: number, name: Step['name']): Step => ({ merchant, name, dice: dice.next() })
  const steps = Array.from({ length: MERCHANTS }, (_, merchant) =>
    BEGINNING.map((name) => step(merchant, name)),
  ).flat()
  while (steps.length < count) steps.push(step(dice.of([0, 0, 0, 0, 1, 1, 2]), dice.weighted(chosen)))
  return steps.slice(0, count)
}

export const isWhole = (name: Step['name']): name is WholeName => name in WHOLE

export const commandNamed = (name: CommandName): Command => COMMANDS[name][1]

/** A step of either dialect. */
export type AnyStep = { readonly merchant: number; readonly name: string; readonly dice: number }

/** Formats steps as text, and parses them: `0:create price:123`, separated by commas. */
export const write = (steps: readonly AnyStep[]): string =>
  steps.map(({ merchant, name, dice }) => `${merchant}:${name}:${dice}`).join(',')

export const read = (text: string): Step[] => readWith(text, isName)

const isName = (name: string): name is Step['name'] => name in weights

/** @param isKnown - whether a command has the name */
export function readWith<Name extends string>(text: string, isKnown: (name: string) => name is Name) {
  return text.split(',').map((part) => {
    const [merchant, name = '', dice] = part.trim().split(':')
    if (!isKnown(name)) throw new Error(`there is no command ${name}`)
    return { merchant: Number(merchant), name, dice: Number(dice) }
  })
}

/** See docs/contract/notices.md#settings. */
function setNotices({ merchant, dice }: Parameters<Command>[0]): ReturnType<Command> {
  const notices = {
    invoice_upcoming: dice.of([null, 3, 7, 15, 30, 45]),
    trial_will_end: dice.of([null, 3]),
    invoice_will_be_due: dice.of([null, 1, 5, 29]),
    invoice_overdue: dice.of([null, 0, 1, 10]),
  }
  merchant.notices = notices
  const path = '/_paytwin/merchants/{merchant}'
  return done({ method: 'POST', path, body: { notices }, isOperators: true })
}

function setFinalAction({ merchant, dice }: Parameters<Command>[0]): ReturnType<Command> {
  merchant.finalAction = dice.of(['cancel', 'mark_unpaid', 'leave_past_due'])
  return done({
    method: 'POST',
    path: '/_paytwin/merchants/{merchant}',
    body: { dunning_final_action: merchant.finalAction },
    isOperators: true,
  })
}

function addFault({ faults, dice }: Parameters<Command>[0]): ReturnType<Command> {
  const fault = { kind: dice.of(['decline', 'processor_timeout'] as const), remaining: dice.between(1, 3) }
  faults.push(fault)
  return done({
    method: 'POST',
    path: '/_paytwin/faults',
    body: { kind: fault.kind, count: fault.remaining, merchant: '{merchant}' },
    isOperators: true,
  })
}
