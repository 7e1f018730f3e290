import type { Command } from 'commander'
import { listMail, type MailQuery, readMail } from '../../client/mail.ts'
import type { Mail } from '../../client/types.ts'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { addVerb, optionWithChoices, wholeNumber } from '../command.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'
import type { Column } from '../show/output.ts'

/** `paytwin mail`. See docs/contract/mail.md. */
export function mailCommands(program: Command, io: Io): void {
  const mail = program.command('mail').description('List and show the mail for customers, which is not sent.')

  addVerb<MailQuery>(mail, io, {
    usage: 'list',
    about: 'List mail, newest first.',
    options: (command) =>
      command
        .option('--merchant <ID>', 'only mail of this merchant')
        .option('--to <EMAIL>', 'only mail to this address')
        .addOption(optionWithChoices('--kind <KIND>', 'only mail of this kind', { choices: MAIL_KINDS }))
        .option('-n, --limit <N>', 'maximum number of mails, up to 100', wholeNumber, 10),
    examples: ['paytwin mail list', 'paytwin mail list --to ada@example.com --kind payment_failed'],
    run: async ({ client, out }, options) =>
      out.show(await listMail(client.address, options), ({ data }) => {
        out.table(COLUMNS, data, 'No mail.')
        if (data.length === 0 && !out.isPlain) out.note(MOSTLY_OFF)
      }),
  })

  addVerb(mail, io, {
    usage: 'show <ID>',
    about: 'Show a mail with its links.',
    arguments: { ID: 'the ID of the mail (mail_…)' },
    examples: ['paytwin mail show mail_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await readMail(client.address, id), ({ text, ...mail }) => {
        out.fields([
          ['id', mail.id],
          ['time', instant(mail.created)],
          ['kind', mail.kind],
          ['to', mail.to],
          ['subject', mail.subject],
          ['about', mail.about.id],
          ['event', mail.event],
        ])
        out.line('')
        for (const line of text.split('\n')) out.line(line)
      }),
  })
}

const MOSTLY_OFF =
  "Most kinds of mail are off at first, as in a new Stripe account. 'paytwin merchants update ID --mail receipt=on' turns one on."

const COLUMNS: readonly Column<Mail>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'TIME', cell: ({ created }) => instant(created) },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'TO', cell: ({ to }) => to, minWidth: 12 },
  { title: 'SUBJECT', cell: ({ subject }) => subject, minWidth: 16 },
  { title: 'ABOUT', cell: ({ about }) => about.id, omit: 1 },
]
