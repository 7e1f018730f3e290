import type { Command } from 'commander'
import { EVENT_TYPES } from '../core/event.ts'
import { eventLine, TYPE_WIDTH } from '../ui/event-line.ts'
import { addVerb } from './command.ts'
import { instant } from './format.ts'
import type { Io } from './io.ts'
import type { Span } from './output.ts'
import { meantMerchant } from './scope.ts'

/** `paytwin trigger`. */
export function triggerCommand(program: Command, io: Io): void {
  addVerb<{ merchant?: string }>(program, io, {
    usage: 'trigger <TYPE>',
    about:
      'Make new objects that emit an event, and print all events that this told. What only time can bring is prepared: the answer says when it comes.',
    arguments: { TYPE: 'the type of the event, one of those below' },
    options: (command) =>
      command
        .option('--merchant <ID>', 'for whom; needed when there are several merchants')
        .addHelpText('after', `\nTypes:\n${typesByFamily()}`),
    examples: ['paytwin trigger invoice.payment_failed', 'paytwin trigger refund.failed --json'],
    run: async ({ client, out }, { merchant: named }, [type = '']) => {
      const merchant = await meantMerchant(client, named)
      out.show(await client.trigger({ type, merchant }), ({ events, due, command }) => {
        for (const event of events) out.line(...eventLine(event))
        if (due !== null && command !== null) out.line(...toCome(type, due, command))
      })
    },
  })
}

/** An event that has not happened yet, in the columns of those that have. */
const toCome = (type: string, due: number, command: string): Span[] => [
  { text: instant(due), colour: 'dim' },
  '  ',
  { text: type.padEnd(TYPE_WIDTH), colour: 'yellow' },
  '  still to come: ',
  { text: command, colour: 'bold' },
]

/** `  invoice.created, .paid`: a line for each family. */
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
