import { ApiError } from '../core/errors.ts'
import type { DashboardPages } from '../http/dashboard/pages.ts'
import { Advances } from './advances.ts'
import { clockPages } from './clocks.tsx'
import { contextOf, type Section } from './context.ts'
import { showError } from './error.tsx'
import { eventPages } from './events.tsx'
import { findPage } from './find.ts'
import { withoutMerchants } from './frame.tsx'
import { listPages } from './list-page.tsx'
import { LISTS } from './lists.tsx'
import { livePages } from './live.tsx'
import { mailPages } from './mail.tsx'
import { objectPages } from './object-page.tsx'
import { readCustomer, readInvoice, readPayment, readSubscription } from './objects.tsx'
import { overviewPage } from './overview.tsx'
import { requestPages } from './requests.tsx'
import { scenePages } from './scenes.tsx'
import { webhookPages } from './webhooks.tsx'

/** The sections by the part of the path after the merchant. */
const SECTIONS: Readonly<Record<string, Section>> = {
  '': overviewPage,
  customers: listPages(LISTS.customers, objectPages(readCustomer)),
  subscriptions: listPages(LISTS.subscriptions, objectPages(readSubscription)),
  invoices: listPages(LISTS.invoices, objectPages(readInvoice)),
  payments: listPages(LISTS.payments, objectPages(readPayment)),
  events: eventPages,
  mail: mailPages,
  webhooks: webhookPages,
  requests: requestPages,
  clocks: clockPages,
  live: livePages,
  scenes: scenePages,
  find: findPage,
}

/** Creates the pages of one daemon. They read and write through the admin API only. */
export function createPages(): DashboardPages {
  const advances = new Advances()
  return async (request) => {
    const found = await contextOf({ ...request, advances })
    if (found === undefined) return withoutMerchants()
    if (!('merchant' in found)) return found
    const section = Object.hasOwn(SECTIONS, found.section) ? SECTIONS[found.section] : undefined
    try {
      return (await section?.(found)) ?? showError(found, 404, 'There is no such page.')
    } catch (error) {
      if (error instanceof ApiError) return showError(found, error.status, error.message)
      throw error
    }
  }
}
