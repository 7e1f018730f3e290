import type { Command } from 'commander'
import type { Merchant } from '../../client/types.ts'
import { DEFAULT_DIALECT, DIALECTS } from '../../core/dialect.ts'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { NOTICE_KINDS } from '../../core/notices.ts'
import { addVerb, optionWithChoices } from '../command.ts'
import { API_VERSION_HELP, DIALECT_HELP } from '../daemon/serve-options.ts'
import { wrongUsage } from '../failure.ts'
import { givenSecret } from '../given-secret.ts'
import type { Io } from '../io.ts'
import { instant } from '../show/format.ts'
import type { Column, Output } from '../show/output.ts'
import { timeOf } from '../time.ts'

type NewMerchantFlags = {
  readonly name?: string
  readonly clock?: string
  readonly dialect?: string
  readonly apiVersion?: string
  readonly secretKey?: string
  readonly secretKeyFile?: string
}

/** `paytwin merchants`. See docs/contract/operator.md#merchants. */
export function merchantCommands(program: Command, io: Io): void {
  const merchants = program
    .command('merchants')
    .description('Manage merchants. Each has its own data, keys, clock and events.')

  addVerb<NewMerchantFlags>(merchants, io, {
    usage: 'create',
    about: 'Create a merchant.',
    options: (command) =>
      command
        .option('--name <TEXT>', 'the name of the merchant')
        .option('--clock <TIME|live>', 'freeze its clock at this time, or live (the default)')
        .addOption(
          optionWithChoices('--dialect <NAME>', DIALECT_HELP, {
            choices: DIALECTS,
            byDefault: DEFAULT_DIALECT,
          }),
        )
        .option('--api-version <DATE>', API_VERSION_HELP)
        .option('--secret-key <KEY>', 'its first key, such as sk_test_123 (default: no key)')
        .option('--secret-key-file <FILE>', 'a file with that key, which keeps it out of the process list'),
    examples: [
      'paytwin merchants create --name "Test 1" --clock 2026-01-31T10:00:00Z',
      'paytwin merchants create --dialect stripe --secret-key sk_test_456',
    ],
    run: async ({ client, out }, { name, clock, dialect, apiVersion, secretKey, secretKeyFile }) => {
      const time = clock === undefined || clock === 'live' ? clock : timeOf('--clock', clock)
      const secret_key = givenSecret('--secret-key', { secret: secretKey, file: secretKeyFile })
      const given = { name, clock: time, dialect, api_version: apiVersion, secret_key }
      out.show(await client.createMerchant(given), (merchant) => describe(out, merchant))
    },
  })

  addVerb(merchants, io, {
    usage: 'list',
    about: 'List merchants with their clocks and settings.',
    examples: ['paytwin merchants list'],
    run: async ({ client, out }) =>
      out.show(await client.merchants(), ({ data }) => out.table(COLUMNS, data, 'No merchants.')),
  })

  addVerb<{
    name?: string
    apiVersion?: string
    dunningFinalAction?: string
    retrySchedule?: string
    notice?: string[]
    mail?: string[]
  }>(merchants, io, {
    usage: 'update <ID>',
    about: 'Change the settings of a merchant.',
    arguments: { ID: 'the ID of the merchant (mer_…)' },
    options: (command) =>
      command
        .option('--name <TEXT>', 'the name of the merchant')
        .option('--api-version <DATE>', API_VERSION_HELP)
        .option(
          '--dunning-final-action <ACTION>',
          'the action on a subscription after its last payment retry fails: cancel, mark_unpaid or leave_past_due',
        )
        .option(
          '--retry-schedule <DAYS>',
          'the days of the retries after a failed payment, such as 1,3,5,7; or smart. Only with the dialect stripe',
        )
        .option(
          '--notice <KIND=DAYS...>',
          `when notices are emitted, such as invoice_upcoming=7; off for none. The kinds: ${NOTICE_KINDS.join(', ')}`,
        )
        .option(
          '--mail <KIND=on|off...>',
          `which mail customers get, such as receipt=on. Only with the dialect stripe. The kinds: ${MAIL_KINDS.join(', ')}`,
        ),
    examples: [
      'paytwin merchants update mer_0123456789abcd --dunning-final-action mark_unpaid',
      'paytwin merchants update mer_0123456789abcd --notice invoice_upcoming=7 trial_will_end=3',
    ],
    run: async ({ client, out }, given, [id = '']) => {
      const { name, apiVersion, dunningFinalAction, retrySchedule, notice, mail } = given
      const notices = notice && Object.fromEntries(notice.map(daysOf))
      const change = {
        name,
        api_version: apiVersion,
        dunning_final_action: dunningFinalAction,
        retry_schedule: retrySchedule === undefined ? undefined : scheduleOf(retrySchedule),
        notices,
        mails: mail && Object.fromEntries(mail.map(switchOf)),
      }
      if (Object.values(change).every((value) => value === undefined)) {
        throw wrongUsage(
          'Give at least one of --name, --api-version, --dunning-final-action, --retry-schedule, --notice and --mail.',
        )
      }
      out.show(await client.updateMerchant(id, change), (merchant) => describe(out, merchant))
    },
  })

  addVerb(merchants, io, {
    usage: 'delete <ID>',
    about: 'Delete a merchant with its data, keys, clock and events. The default merchant cannot be deleted.',
    arguments: { ID: 'the ID of the merchant (mer_…)' },
    examples: ['paytwin merchants delete mer_0123456789abcd'],
    run: async ({ client, out }, _options, [id = '']) =>
      out.show(await client.deleteMerchant(id), (merchant) => out.line(`Deleted ${merchant.id}.`)),
  })
}

/** Reads `1,3,5,7` or smart. @throws Failure 2 */
function scheduleOf(text: string): string | readonly number[] {
  if (text === 'smart') return text
  if (/^\d{1,3}(,\d{1,3})*$/.test(text)) return text.split(',').map(Number)
  throw wrongUsage(`'${text}' is not a retry schedule. Give smart, or days such as 1,3,5,7.`)
}

/** Reads `invoice_upcoming=7`; off is null. @throws Failure 2 */
function daysOf(setting: string): [string, number | null] {
  const [, kind = '', days = ''] = /^(\w+)=(\d{1,4}|off)$/.exec(setting) ?? []
  if (!NOTICE_KINDS.some((known) => known === kind)) {
    throw wrongUsage(
      `'${setting}' is not a notice. Give a kind and its days, such as invoice_upcoming=7, or off. The kinds: ${NOTICE_KINDS.join(', ')}.`,
    )
  }
  return [kind, days === 'off' ? null : Number(days)]
}

/** Reads `receipt=on`. @throws Failure 2 */
function switchOf(setting: string): [string, boolean] {
  const [, kind = '', state = ''] = /^(\w+)=(on|off)$/.exec(setting) ?? []
  if (!MAIL_KINDS.some((known) => known === kind)) {
    throw wrongUsage(
      `'${setting}' is not a setting for mail. Give a kind with on or off, such as receipt=on. The kinds: ${MAIL_KINDS.join(', ')}.`,
    )
  }
  return [kind, state === 'on']
}

/** Lists the kinds of mail that are on. */
const mailsText = (mails: Merchant['mails']): string =>
  Object.entries(mails ?? {})
    .flatMap(([kind, isOn]) => (isOn ? [kind] : []))
    .join(' ') || 'off'

/** Formats the notices that are on: `invoice_upcoming=7`. */
const noticesText = (notices: Merchant['notices']): string =>
  Object.entries(notices)
    .flatMap(([kind, days]) => (days === null ? [] : `${kind}=${days}`))
    .join(' ') || 'off'

const COLUMNS: readonly Column<Merchant>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name, minWidth: 8 },
  { title: 'CLOCK TIME', cell: ({ clock }) => instant(clock.now) },
  { title: 'MODE', cell: ({ clock }) => clock.mode },
  { title: 'API VERSION', cell: ({ api_version }) => api_version, omit: 3 },
  { title: 'DUNNING FINAL ACTION', cell: ({ dunning_final_action }) => dunning_final_action, omit: 2 },
  { title: 'DIALECT', cell: ({ dialect }) => dialect, omit: 4 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

const describe = (out: Output, merchant: Merchant): void =>
  out.fields([
    ['id', merchant.id],
    ['name', merchant.name],
    ['clock', `${instant(merchant.clock.now)} (${merchant.clock.mode})`],
    ['api version', merchant.api_version],
    ['dunning final action', merchant.dunning_final_action],
    ['retry schedule', [merchant.retry_schedule].flat().join(', ')],
    ['notices', noticesText(merchant.notices)],
    ['mail', mailsText(merchant.mails)],
    ['dialect', merchant.dialect],
  ])
