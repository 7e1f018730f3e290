import type { Command } from 'commander'
import { EVENT_TYPES } from '../../core/kinds.ts'
import { eventLine, TYPE_WIDTH } from '../../ui/event-line.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import { resolveMerchant } from '../scope.ts'
import { instant } from '../show/format.ts'
import type { Span } from '../show/output.ts'

const STRIPE_TYPES = `For a merchant with Stripe's API, the type is one of Stripe's names in docs/stripe.md, such as
customer.subscription.created, checkout.session.completed or invoice.payment_action_required.`

/** `paytwin trigger`. */
export function triggerCommand(program: Command, io: Io): void {
  addVerb<{ merchant?: string }>(program, io, {
    usage: 'trigger <TYPE>',
    about:
      'Create objects so that an event of this type occurs, and print all emitted events. If the event occurs only later, ' +
      'the output shows when it is due and the command that advances the clock to it.',
    arguments: { TYPE: 'the event type (see below)' },
    options: (command) =>
      command
        .option('--merchant <ID>', 'the merchant; required with several merchants')
        .addHelpText('after', `\nTypes:\n${typesByFamily()}\n\n${STRIPE_TYPES}`),
    examples: ['paytwin trigger invoice.payment_failed', 'paytwin trigger refund.failed --json'],
    run: async ({ client, out }, { merchant: named }, [type = '']) => {
      const merchant = await resolveMerchant(client, named)
      out.show(await client.trigger({ type, merchant }), ({ events, due, command }) => {
        for (const event of events) out.line(...eventLine(event))
        if (due !== null && command !== null) out.line(...upcomingLine(type, due, command))
      })
    },
  })
}

/** Formats an event that is still due, in the same columns as emitted events. */
const upcomingLine = (type: string, due: number, command: string): Span[] => [
  { text: instant(due), colour: 'dim' },
  '  ',
  { text: type.padEnd(TYPE_WIDTH), colour: 'yellow' },
  '  not due yet; run: ',
  { text: command, colour: 'bold' },
]

/** Lists the event types, one line for each family: `  invoice.created, .paid`. */
function typesByFamily(): string {
  const familyOf = (type: string) => type.slice(0, type.indexOf('.'))
  const families = [...new Set(EVENT_TYPES.map(familyOf))]
  return families
    .map((family) => {
      const names = EVENT_TYPES.filter((type) => familyOf(type) === family)
      return `  ${family}${names.map((name) => name.slice(family.length)).join(', ')}`
    })
    .join('\n')
}
