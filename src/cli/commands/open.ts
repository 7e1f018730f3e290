import type { Command } from 'commander'
import { postJson } from '../../client/admin-requests.ts'
import type { DashboardLink } from '../../client/types.ts'
import { asReached, hasBrowser, openInBrowser } from '../browser.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'

/** `paytwin open`. See docs/contract/operator.md#dashboard. */
export function openCommand(program: Command, io: Io): void {
  addVerb<{ browser: boolean }>(program, io, {
    usage: 'open',
    about:
      'Open the dashboard in the browser. Prints a link that works once, within an hour, and on a terminal also opens it.',
    options: (command) => command.option('--no-browser', 'only print the link'),
    examples: ['paytwin open', 'paytwin open --no-browser'],
    run: async ({ client, out }, { browser }) => {
      const isOpened = browser && !out.isJson && hasBrowser(io)
      // Other users of the machine can read the arguments of the browser.
      const created = await postJson<DashboardLink>(client.address, 'dashboard/links', {
        body: { only_this_user: isOpened },
      })
      const url = asReached(created.url, client.address.url)
      out.show({ ...created, url }, () => out.line(url))
      if (isOpened) openInBrowser(io, url)
    },
  })
}
