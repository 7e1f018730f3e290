import type { Command } from 'commander'
import { getJson } from '../../client/admin-requests.ts'
import type { CheckoutPage } from '../../client/types.ts'
import { asReached, openInBrowser } from '../browser.ts'
import { addVerb } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'

/** `paytwin checkout`. See docs/contract/checkout-sessions.md. */
export function checkoutCommands(program: Command, io: Io): void {
  const checkout = program
    .command('checkout')
    .description("Open Checkout sessions of merchants with Stripe's API.")

  addVerb<{ browser: boolean }>(checkout, io, {
    usage: 'open <ID>',
    about:
      'Open the page of a Checkout session in the browser. Prints its URL, and on a terminal also opens it.',
    arguments: { ID: 'the ID of the Checkout session (cs_test_…)' },
    options: (command) => command.option('--no-browser', 'only print the URL'),
    examples: ['paytwin checkout open cs_test_…', 'paytwin checkout open cs_test_… --no-browser'],
    run: async ({ client, out }, { browser }, [id = '']) => {
      const page = await getJson<CheckoutPage>(client.address, `checkout/sessions/${encodeURIComponent(id)}`)
      const url = page.url === null ? null : asReached(page.url, client.address.url)
      out.show({ ...page, url }, () => {
        if (url !== null) out.line(url)
      })
      if (url === null && !out.isJson)
        throw new Failure(1, `The session is ${page.status}, so it has no page`)
      if (url !== null && browser && !out.isJson) openInBrowser(io, url)
    },
  })
}
