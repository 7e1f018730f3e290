import type { Body } from '../../twin.ts'
import { readWith } from '../commands.ts'
import { Dice } from '../dice.ts'
import * as checkout from './commands-checkout.ts'
import * as invoices from './commands-invoices.ts'
import * as objects from './commands-objects.ts'
import * as subscriptions from './commands-subscriptions.ts'
import type { Request, Story } from './story.ts'

/** An advance of a test clock, or of the main clock. */
export type Move = { readonly clock: string | null; readonly from: number; readonly to: number }
/** A request of the application, or one of the operator with a body in JSON. */
type Sent = Request & { readonly isOperators?: boolean; readonly params?: Body }
/** Chooses what a step does; null if there is nothing to do it to. It only reads. */
export type Command = (story: Story, dice: Dice) => Promise<Sent | Move | checkout.Submit | null>

/** The commands and their weights. */
const COMMANDS = {
  'create price': [4, objects.createPrice],
  'create clock': [2, objects.createClock],
  'create customer': [5, objects.createCustomer],
  'attach method': [8, objects.attachMethod],
  'set default': [12, objects.setDefault],
  'update customer': [2, objects.updateCustomer],
  'detach method': [2, objects.detachMethod],
  'delete customer': [1, objects.deleteCustomer],
  'adjust balance': [5, objects.adjustBalance],
  'create coupon': [3, objects.createCoupon],
  'create code': [2, objects.createCode],
  'delete coupon': [1, objects.deleteCoupon],
  'set dunning': [2, objects.setDunning],
  subscribe: [18, subscriptions.subscribe],
  'open checkout': [8, checkout.openCheckout],
  'submit checkout': [14, checkout.submitCheckout],
  'change items': [18, subscriptions.changeItems],
  'change item': [8, subscriptions.changeItem],
  'update subscription': [18, subscriptions.updateSubscription],
  cancel: [4, subscriptions.cancel],
  resume: [4, subscriptions.resume],
  plan: [6, subscriptions.plan],
  'create invoice': [6, invoices.createInvoice],
  'create item': [10, invoices.createItem],
  'change invoice item': [4, invoices.changeInvoiceItem],
  'change lines': [6, invoices.changeLines],
  'update invoice': [5, invoices.updateInvoice],
  finalize: [6, invoices.finalize],
  pay: [10, invoices.pay],
  'end invoice': [5, invoices.endInvoice],
  preview: [3, invoices.preview],
  'act on intent': [14, invoices.actOnIntent],
  'create intent': [4, invoices.createIntent],
  'set up': [5, invoices.setUp],
  refund: [6, invoices.refund],
  'credit invoice': [8, invoices.creditInvoice],
  'void note': [2, invoices.voidNote],
  'advance main clock': [20, objects.advanceMain],
  'advance test clock': [24, objects.advanceTest],
} as const satisfies Record<string, readonly [number, Command]>

type CommandName = keyof typeof COMMANDS

/** One step of a story. The steps before it and its dice determine its action. */
export type StripeStep = { readonly merchant: number; readonly name: CommandName; readonly dice: number }

const weights = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, [weight]]) => [name, weight]),
) as Record<CommandName, number>

/** The first steps of each story, which create objects for the later ones. */
const BEGINNING: readonly CommandName[] = [
  'create price',
  'create price',
  'create clock',
  'create coupon',
  'create customer',
  'create customer',
  'attach method',
  'set default',
  'set default',
  'subscribe',
  'subscribe',
]

/**
 * Generates the steps of a seed; a smaller number gives the first ones.
 * @param given.isVaried - whether the seed also varies the weights of the commands
 */
export function stepsOf(seed: number, count: number, { isVaried = false } = {}): StripeStep[] {
  const dice = new Dice(seed)
  const chosen = isVaried ? dice.varied(weights) : weights
  const step = (name: CommandName): StripeStep => ({ merchant: 0, name, dice: dice.next() })
  const steps = BEGINNING.map(step)
  while (steps.length < count) steps.push(step(dice.weighted(chosen)))
  return steps.slice(0, count)
}

export const commandNamed = (name: CommandName): Command => COMMANDS[name][1]

const isCommand = (name: string): name is CommandName => name in COMMANDS

export const read = (text: string): StripeStep[] => readWith(text, isCommand)
