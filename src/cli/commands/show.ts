import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { addVerb } from '../command.ts'
import { findCustomer } from '../find-customer.ts'
import type { Io } from '../io.ts'
import type { Output } from '../show/output.ts'
import { showCustomer } from '../show/show-customer.ts'
import { showInvoice } from '../show/show-invoice.ts'
import { showSubscription } from '../show/show-subscription.ts'
import { timeOf } from '../time.ts'
import { addScheduleShow } from './show-schedule.ts'

/** A resource whose objects are shown with a timeline. */
type Shown<Object> = {
  readonly thing: string
  /** The beginning of its IDs. */
  readonly prefix: string
  readonly about: string
  /** A second example. */
  readonly example?: string
  readonly find?: (client: Client, given: string) => Promise<string>
  readonly fetch: (client: Client, id: string, query: { at?: string | undefined }) => Promise<Object>
  readonly show: (out: Output, shown: Object, options: { all: boolean }) => void
}

const SHOWN: Readonly<Record<string, (noun: Command, io: Io) => void>> = {
  customers: verb({
    thing: 'a customer',
    prefix: 'cus_',
    about: 'the ID of the customer (cus_…), its email address, or its name in fixtures',
    example: 'ada@example.com',
    find: async (client, given) => {
      if (!given.includes('@')) return given
      const { data } = await client.merchants()
      return findCustomer(
        client,
        data.map(({ id }) => id),
        given,
      )
    },
    fetch: (client, id, query) => client.customer(id, query),
    show: showCustomer,
  }),
  subscriptions: verb({
    thing: 'a subscription',
    prefix: 'sub_',
    about: 'the ID of the subscription (sub_…), or its name in fixtures',
    fetch: (client, id, query) => client.subscription(id, query),
    show: showSubscription,
  }),
  invoices: verb({
    thing: 'an invoice',
    prefix: 'in_',
    about: 'the ID of the invoice (in_…)',
    fetch: (client, id, query) => client.invoice(id, query),
    show: showInvoice,
  }),
  schedules: addScheduleShow,
}

/** Adds `show` to a noun whose objects have a timeline. See docs/contract/command-line.md#timelines. */
export const addShow = (noun: Command, io: Io): void => SHOWN[noun.name()]?.(noun, io)

function verb<Object>(shown: Shown<Object>): (noun: Command, io: Io) => void {
  const { thing, prefix, about, example, find, fetch, show } = shown
  return (noun, io) => {
    const call = `paytwin ${noun.name()} show`
    const id = `${prefix}0123456789abcd`
    addVerb<{ at?: string; all?: boolean }>(noun, io, {
      usage: 'show <ID>',
      about: `Show ${thing} of any merchant with its timeline of past and upcoming events.`,
      arguments: { ID: about },
      options: (command) =>
        command
          .option('--at <TIME>', 'show its state at this time: a date, ISO 8601 or Unix seconds')
          .option('--all', 'show every renewal instead of grouping similar ones'),
      examples: [
        `${call} ${id}`,
        ...(example === undefined ? [] : [`${call} ${example}`]),
        `${call} ${id} --at 2026-01-31T10:00:00Z`,
      ],
      run: async ({ client, out }, { at, all = false }, [given = '']) => {
        const found = find ? await find(client, given) : given
        const query = { at: at === undefined ? undefined : String(timeOf('--at', at)) }
        out.show(await fetch(client, found, query), (response) => show(out, response, { all }))
      },
    })
  }
}
