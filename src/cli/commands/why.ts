import type { Command } from 'commander'
import { explanationOf } from '../../client/explanation.ts'
import type { Explanation } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import type { Output } from '../show/output.ts'
import { timeOf } from '../time.ts'

/** `paytwin why`. See docs/contract/command-line.md#explanations. */
export function whyCommand(program: Command, io: Io): void {
  addVerb<{ at?: string }>(program, io, {
    usage: 'why <ID>',
    about:
      'Explain why an object is in its status, and what will happen to it, with the rules of the contract. ' +
      'Objects are subscriptions, invoices, payment intents, setup intents, schedules, disputes and Checkout sessions of any merchant.',
    arguments: {
      ID: 'the ID of the object (sub_…, in_…, pi_…, seti_…, sub_sched_…, du_…, cs_test_…), or its name in fixtures',
    },
    options: (command) =>
      command.option(
        '--at <TIME>',
        'explain a subscription or invoice as of this time: a date, ISO 8601 or Unix seconds',
      ),
    examples: [
      'paytwin why sub_0123456789abcd',
      'paytwin why in_0123456789abcd --at 2026-01-31T10:00:00Z',
      'paytwin why pi_0123456789abcd --json',
    ],
    run: async ({ client, out }, { at }, [id = '']) => {
      const query = { at: at === undefined ? undefined : String(timeOf('--at', at)) }
      out.show(await explanationOf(client.address, id, query), (explanation) => show(out, explanation))
    },
  })
}

type Sentence = Explanation['sentences'][number]

const TITLES: Readonly<Record<Sentence['part'], string>> = { status: 'why', detail: 'also', next: 'next' }

/** Prints the sentences: as paragraphs on a terminal, otherwise each on a line with its part and its rule. */
function show(out: Output, { id, resource, status, now, as_of, sentences }: Explanation): void {
  const { width } = out
  if (width === null) {
    out.table(
      [
        { title: 'PART', cell: ({ part }: Sentence) => part },
        { title: 'WHY', cell: ({ text }) => text },
        { title: 'RULE', cell: ({ rule }) => rule },
        { title: 'OBJECT', cell: ({ object }) => object ?? '' },
      ],
      sentences,
      '',
    )
    return
  }
  const past = as_of < now ? `  as of ${formatInstant(as_of)}` : ''
  out.line({ text: `${resource.replaceAll('_', ' ')} ${id}`, colour: 'bold' }, `  ${status}${past}`)
  let title = ''
  for (const { part, text, object, url } of sentences) {
    const own = TITLES[part] === title ? '' : TITLES[part]
    title = TITLES[part]
    out.line()
    const lines = inLines(text, width - INDENT.length)
    for (const [index, line] of lines.entries())
      out.line({ text: (index === 0 ? own : '').padEnd(INDENT.length), colour: 'dim' }, line)
    out.line(INDENT, { text: `${object === null ? '' : `${object}  `}${url}`, colour: 'dim' })
  }
}

const INDENT = ' '.repeat(6)

/** Breaks a text between words. A word that is longer than a line has a line of its own. */
function inLines(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && longer.length > columns) lines.push(line)
    line = line !== '' && longer.length > columns ? word : longer
  }
  return [...lines, line]
}
