import type { Command } from 'commander'
import { MerchantApi } from '../../client/merchant-api.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'
import { resolveMerchant } from '../scope.ts'
import { type ShownSchedule, showSchedule } from '../show/show-schedule.ts'

/** Adds `paytwin schedules show`. */
export function addScheduleShow(noun: Command, io: Io): void {
  addVerb<{ merchant?: string }>(noun, io, {
    usage: 'show <ID>',
    about: 'Show a subscription schedule with its phases.',
    arguments: { ID: 'the ID of the schedule (sub_sched_…)' },
    options: (command) =>
      command.option('--merchant <ID>', 'the merchant of the schedule; required with several merchants'),
    examples: ['paytwin schedules show sub_sched_0123456789abcd'],
    run: async ({ client, out }, options, [given = '']) => {
      const api = new MerchantApi(client.address, await resolveMerchant(client, options.merchant))
      const params = new URLSearchParams(
        out.isJson
          ? []
          : ['customer', 'phases.items.price'].map((path) => ['expand[]', path] as [string, string]),
      )
      const path = `subscription_schedules/${encodeURIComponent(given)}`
      out.show(await api.send<ShownSchedule>({ method: 'GET', path, params }), (schedule) =>
        showSchedule(out, schedule),
      )
    },
  })
}
