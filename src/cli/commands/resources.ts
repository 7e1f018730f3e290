import type { Command } from 'commander'
import { MerchantApi, type Params } from '../../client/merchant-api.ts'
import { COLLECTION_METHODS } from '../../core/collection-method.ts'
import { INVOICE_STATUSES } from '../../core/invoice-status.ts'
import { METER_STATUSES } from '../../core/meter.ts'
import { SUBSCRIPTION_STATUSES } from '../../core/subscription-status.ts'
import { addVerb, optionWithChoices, wholeNumber } from '../command.ts'
import { findCustomer } from '../find-customer.ts'
import type { Io } from '../io.ts'
import { resolveMerchant } from '../scope.ts'
import type { Column } from '../show/output.ts'
import {
  CHARGE_COLUMNS,
  COUPON_COLUMNS,
  CREDIT_NOTE_COLUMNS,
  CUSTOMER_COLUMNS,
  DISPUTE_COLUMNS,
  INVOICE_COLUMNS,
  METER_COLUMNS,
  PAYMENT_INTENT_COLUMNS,
  PROMOTION_CODE_COLUMNS,
  REFUND_COLUMNS,
  SCHEDULE_COLUMNS,
  SUBSCRIPTION_COLUMNS,
} from '../show/resource-tables.ts'
import { timeOf } from '../time.ts'
import { addShow } from './show.ts'

/** A filter of a list in the API, as an option. */
type Filter = {
  /** The name of the parameter. The option has hyphens in place of underscores. */
  readonly param: string
  readonly placeholder: string
  readonly about: string
  readonly choices?: readonly string[]
}

/** A resource of /v1 with a list. */
type Resource<Row> = {
  /** The name on the command line. */
  readonly name: string
  /** The name in the API, if that is different. */
  readonly path?: string
  readonly about: string
  readonly filters: readonly Filter[]
  readonly columns: readonly Column<Row>[]
  /** Whether its objects have a customer, which the table shows. */
  readonly hasCustomer: boolean
  readonly examples: readonly string[]
}

const CUSTOMER: Filter = {
  param: 'customer',
  placeholder: 'ID|EMAIL',
  about: 'only of this customer: an ID or an email address',
}
const COLLECTION: Filter = {
  param: 'collection_method',
  placeholder: 'METHOD',
  about: 'only with this collection method',
  choices: COLLECTION_METHODS,
}
const PAYMENT_INTENT: Filter = {
  param: 'payment_intent',
  placeholder: 'ID',
  about: 'only of this payment intent',
}

const RESOURCES = [
  resource({
    name: 'customers',
    about: 'List customers, and show them with their past and upcoming events.',
    filters: [{ param: 'email', placeholder: 'EMAIL', about: 'only with this email address' }],
    columns: CUSTOMER_COLUMNS,
    hasCustomer: false,
    examples: ['--email ada@example.com', '-n 100 --json'],
  }),
  resource({
    name: 'subscriptions',
    about: 'List subscriptions, and show them with their past and upcoming events.',
    filters: [
      {
        param: 'status',
        placeholder: 'STATUS',
        about: 'only with this status; ended: those that never bill again (default: all but canceled)',
        choices: [...SUBSCRIPTION_STATUSES, 'ended', 'all'],
      },
      CUSTOMER,
      { param: 'price', placeholder: 'ID', about: 'only with this price' },
      COLLECTION,
    ],
    columns: SUBSCRIPTION_COLUMNS,
    hasCustomer: true,
    examples: ['--status past_due', '--customer ada@example.com --status all'],
  }),
  resource({
    name: 'schedules',
    path: 'subscription_schedules',
    about: 'List subscription schedules, and show them with their phases.',
    filters: [CUSTOMER],
    columns: SCHEDULE_COLUMNS,
    hasCustomer: true,
    examples: ['', '--customer ada@example.com'],
  }),
  resource({
    name: 'invoices',
    about: 'List invoices, and show them with their past and upcoming events.',
    filters: [
      { param: 'status', placeholder: 'STATUS', about: 'only with this status', choices: INVOICE_STATUSES },
      CUSTOMER,
      { param: 'subscription', placeholder: 'ID', about: 'only of this subscription' },
    ],
    columns: INVOICE_COLUMNS,
    hasCustomer: true,
    examples: ['--status open', '--customer ada@example.com'],
  }),
  resource({
    name: 'credit_notes',
    about: 'List credit notes.',
    filters: [CUSTOMER, { param: 'invoice', placeholder: 'ID', about: 'only of this invoice' }],
    columns: CREDIT_NOTE_COLUMNS,
    hasCustomer: true,
    examples: ['', '--customer ada@example.com'],
  }),
  resource({
    name: 'coupons',
    about: 'List coupons.',
    filters: [],
    columns: COUPON_COLUMNS,
    hasCustomer: false,
    examples: ['', '-n 100 --json'],
  }),
  resource({
    name: 'promotion_codes',
    about: 'List promotion codes.',
    filters: [
      { param: 'code', placeholder: 'CODE', about: 'only with this code, in upper or lower case' },
      { param: 'coupon', placeholder: 'ID', about: 'only of this coupon' },
      CUSTOMER,
    ],
    columns: PROMOTION_CODE_COLUMNS,
    hasCustomer: true,
    examples: ['', '--code SUMMER'],
  }),
  resource({
    name: 'meters',
    path: 'billing/meters',
    about: 'List billing meters.',
    filters: [
      { param: 'status', placeholder: 'STATUS', about: 'only with this status', choices: METER_STATUSES },
    ],
    columns: METER_COLUMNS,
    hasCustomer: false,
    examples: ['', '--status active'],
  }),
  resource({
    name: 'payment_intents',
    about: 'List payment intents.',
    filters: [CUSTOMER],
    columns: PAYMENT_INTENT_COLUMNS,
    hasCustomer: true,
    examples: ['', '--customer ada@example.com'],
  }),
  resource({
    name: 'charges',
    about: 'List charges.',
    filters: [CUSTOMER, PAYMENT_INTENT],
    columns: CHARGE_COLUMNS,
    hasCustomer: true,
    examples: ['', '--customer ada@example.com'],
  }),
  resource({
    name: 'refunds',
    about: 'List refunds.',
    filters: [{ param: 'charge', placeholder: 'ID', about: 'only of this charge' }, PAYMENT_INTENT],
    columns: REFUND_COLUMNS,
    hasCustomer: false,
    examples: ['', '-n 100 --json'],
  }),
  resource({
    name: 'disputes',
    about: 'List disputes.',
    filters: [{ param: 'charge', placeholder: 'ID', about: 'only of this charge' }, PAYMENT_INTENT],
    columns: DISPUTE_COLUMNS,
    hasCustomer: false,
    examples: ['', '-n 100 --json'],
  }),
]

/** `paytwin customers`, `subscriptions`, `schedules`, `invoices`, `credit_notes`, `coupons`, `promotion_codes`, `meters`, `payment_intents`, `charges`, `refunds` and `disputes`. */
export function resourceCommands(program: Command, io: Io): void {
  for (const add of RESOURCES) add(program, io)
}

type ListOptions = {
  merchant?: string
  limit: number
  startingAfter?: string
  endingBefore?: string
  createdAfter?: string
  createdBefore?: string
} & Readonly<Record<string, unknown>>

/** Makes the function that adds a resource's noun. So resources with different types of rows fit into one table. */
function resource<Row>(given: Resource<Row>): (program: Command, io: Io) => void {
  return (program, io) => {
    const noun = program.command(given.name).description(given.about)
    addList(noun, io, given)
    addShow(noun, io)
  }
}

function addList<Row>(
  noun: Command,
  io: Io,
  { name, path = name, filters, columns, hasCustomer, examples }: Resource<Row>,
): void {
  const words = name.replaceAll('_', ' ')
  addVerb<ListOptions>(noun, io, {
    usage: 'list',
    about: `List the ${words} of a merchant, newest first.`,
    options: (command) => {
      for (const filter of filters) addFilter(command, filter)
      return command
        .option(
          '--created-after <TIME>',
          'only those created at this time or later: a date, ISO 8601 or Unix seconds',
        )
        .option('--created-before <TIME>', 'only those created before this time')
        .option('-n, --limit <N>', `maximum number of ${words}, up to 100`, wholeNumber, 20)
        .option('--starting-after <ID>', 'only those older than this one')
        .option('--ending-before <ID>', 'only those newer than this one')
        .option('--merchant <ID>', `the merchant of the ${words}; required with several merchants`)
    },
    examples: examples.map((options) => `paytwin ${name} list ${options}`.trim()),
    run: async ({ client, out }, options) => {
      const created = createdFilters(options)
      const merchant = await resolveMerchant(client, options.merchant)
      const api = new MerchantApi(client.address, merchant)
      const params: Params = {
        ...Object.fromEntries(filters.map(({ param }) => [param, valueOfFilter(options, param)])),
        ...(typeof options.customer === 'string' && {
          customer: await findCustomer(client, [merchant], options.customer),
        }),
        ...created,
        limit: options.limit,
        starting_after: options.startingAfter,
        ending_before: options.endingBefore,
        ...(hasCustomer && !out.isJson && { 'expand[]': 'data.customer' }),
      }
      out.show(await api.list<Row>(path, params), ({ data, has_more }) => {
        out.table(columns, data, `No ${words}.`)
        if (has_more && !out.isPlain) out.note(`There are more: use --limit, up to 100, or --starting-after.`)
      })
    },
  })
}

function addFilter(command: Command, { param, placeholder, about, choices }: Filter): void {
  const flags = `--${param.replaceAll('_', '-')} <${placeholder}>`
  if (choices) command.addOption(optionWithChoices(flags, about, { choices }))
  else command.option(flags, about)
}

/** Returns the value of a filter's option: `collection_method` is the option collectionMethod. */
function valueOfFilter(options: ListOptions, param: string): string | undefined {
  const value = options[param.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]
  return typeof value === 'string' ? value : undefined
}

const createdFilters = ({ createdAfter, createdBefore }: ListOptions): Params => ({
  'created[gte]': createdAfter === undefined ? undefined : timeOf('--created-after', createdAfter),
  'created[lt]': createdBefore === undefined ? undefined : timeOf('--created-before', createdBefore),
})
