import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import { addVerb } from './command.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { showCustomer } from './show-customer.ts'
import { showInvoice } from './show-invoice.ts'
import { showSubscription } from './show-subscription.ts'

/** `paytwin customers show`, `subscriptions show`, `invoices show`. See docs/contract/command-line.md#timelines. */
export function showCommands(program: Command, io: Io): void {
  addShow(program, io, {
    noun: 'customers',
    thing: 'customer',
    id: 'cus_0123456789abcd',
    fetch: (client, id, asked) => client.customer(id, asked),
    show: showCustomer,
  })
  addShow(program, io, {
    noun: 'subscriptions',
    thing: 'subscription',
    id: 'sub_0123456789abcd',
    fetch: (client, id, asked) => client.subscription(id, asked),
    show: showSubscription,
  })
  addShow(program, io, {
    noun: 'invoices',
    thing: 'invoice',
    id: 'in_0123456789abcd',
    fetch: (client, id, asked) => client.invoice(id, asked),
    show: showInvoice,
  })
}

function addShow<Shown>(
  program: Command,
  io: Io,
  shown: {
    noun: string
    thing: string
    id: string
    fetch: (client: Client, id: string, asked: { at?: string | undefined }) => Promise<Shown>
    show: (out: Output, shown: Shown, options: { all: boolean }) => void
  },
): void {
  const noun = program
    .command(shown.noun)
    .description(`Show ${shown.noun} with their past and upcoming events.`)
  addVerb<{ at?: string; all?: boolean }>(noun, io, {
    usage: 'show <ID>',
    about: `Show ${shown.thing === 'invoice' ? 'an' : 'a'} ${shown.thing} of any merchant with its timeline of past and upcoming events.`,
    arguments: { ID: `the ${shown.thing} (${shown.id.slice(0, shown.id.indexOf('_') + 1)}…)` },
    options: (command) =>
      command
        .option('--at <TIME>', 'show its state at this time: ISO 8601 or Unix seconds')
        .option('--all', 'show every renewal instead of grouping similar ones'),
    examples: [
      `paytwin ${shown.noun} show ${shown.id}`,
      `paytwin ${shown.noun} show ${shown.id} --at 2026-01-31T10:00:00Z`,
    ],
    run: async ({ client, out }, { at, all = false }, [id = '']) =>
      out.show(await shown.fetch(client, id, { at }), (answer) => shown.show(out, answer, { all })),
  })
}
