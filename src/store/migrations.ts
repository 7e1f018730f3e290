import type { Migrations } from './migration.ts'
import * as first from './migrations/0001-first.ts'
import * as history from './migrations/0002-history.ts'
import * as billingIndexes from './migrations/0003-billing-indexes.ts'
import * as movedIntents from './migrations/0004-moved-intents.ts'
import * as itemsByCurrency from './migrations/0005-items-by-currency.ts'
import * as generations from './migrations/0006-generations.ts'
import * as prorations from './migrations/0007-prorations.ts'
import * as prices from './migrations/0008-prices.ts'
import * as fixtureNames from './migrations/0009-fixture-names.ts'
import * as pendingUpdates from './migrations/0010-pending-updates.ts'
import * as creditNotes from './migrations/0011-credit-notes.ts'
import * as schedules from './migrations/0012-schedules.ts'
import * as disputes from './migrations/0013-disputes.ts'
import * as notices from './migrations/0014-notices.ts'
import * as meters from './migrations/0015-meters.ts'
import * as dialects from './migrations/0016-dialects.ts'
import * as discounts from './migrations/0017-discounts.ts'
import * as endpointVersions from './migrations/0018-endpoint-versions.ts'
import * as setupIntents from './migrations/0019-setup-intents.ts'
import * as draftInvoices from './migrations/0020-draft-invoices.ts'
import * as retrySchedules from './migrations/0021-retry-schedules.ts'
import * as contacts from './migrations/0022-contacts.ts'
import * as cancellationFeedback from './migrations/0023-cancellation-feedback.ts'
import * as checkoutSessions from './migrations/0024-checkout-sessions.ts'
import * as customerPortal from './migrations/0025-customer-portal.ts'
import * as mails from './migrations/0026-mails.ts'
import * as billedPeriods from './migrations/0027-billed-periods.ts'
import * as deliveriesByEvent from './migrations/0028-deliveries-by-event.ts'
import * as keptSettings from './migrations/0029-kept-settings.ts'
import * as search from './migrations/0030-search.ts'
import * as clockEvents from './migrations/0031-clock-events.ts'
import * as indexesOfMerchants from './migrations/0032-indexes-of-merchants.ts'
import * as expiredGrants from './migrations/0033-expired-grants.ts'
import * as selectiveIndexes from './migrations/0034-selective-indexes.ts'
import * as lineCredits from './migrations/0035-line-credits.ts'
import * as openInvoices from './migrations/0036-open-invoices.ts'
import * as issuedCodes from './migrations/0037-issued-codes.ts'
import * as formerOwners from './migrations/0038-former-owners.ts'
import * as begunPeriods from './migrations/0039-begun-periods.ts'
import * as pendingDeliveries from './migrations/0040-pending-deliveries.ts'
import * as defaultedInvoices from './migrations/0041-defaulted-invoices.ts'
import * as lateTypesAndClocks from './migrations/0042-late-types-and-clocks.ts'
import * as clockEventBlocks from './migrations/0043-clock-event-blocks.ts'
import * as presentSubscriptions from './migrations/0044-present-subscriptions.ts'
import * as waitingDrafts from './migrations/0045-waiting-drafts.ts'
import * as unansweredRequests from './migrations/0046-unanswered-requests.ts'
import * as amountsOff from './migrations/0047-amounts-off.ts'
import * as invoicedCustomers from './migrations/0048-invoiced-customers.ts'
import * as longColumnsLast from './migrations/0049-long-columns-last.ts'
import * as movedProrations from './migrations/0050-moved-prorations.ts'
import * as deletedObjects from './migrations/0051-deleted-objects.ts'

/** All migrations, in order. Written by `npm run schema` from the files in migrations/. */
export const MIGRATIONS: Migrations = {
  '0001-first': first,
  '0002-history': history,
  '0003-billing-indexes': billingIndexes,
  '0004-moved-intents': movedIntents,
  '0005-items-by-currency': itemsByCurrency,
  '0006-generations': generations,
  '0007-prorations': prorations,
  '0008-prices': prices,
  '0009-fixture-names': fixtureNames,
  '0010-pending-updates': pendingUpdates,
  '0011-credit-notes': creditNotes,
  '0012-schedules': schedules,
  '0013-disputes': disputes,
  '0014-notices': notices,
  '0015-meters': meters,
  '0016-dialects': dialects,
  '0017-discounts': discounts,
  '0018-endpoint-versions': endpointVersions,
  '0019-setup-intents': setupIntents,
  '0020-draft-invoices': draftInvoices,
  '0021-retry-schedules': retrySchedules,
  '0022-contacts': contacts,
  '0023-cancellation-feedback': cancellationFeedback,
  '0024-checkout-sessions': checkoutSessions,
  '0025-customer-portal': customerPortal,
  '0026-mails': mails,
  '0027-billed-periods': billedPeriods,
  '0028-deliveries-by-event': deliveriesByEvent,
  '0029-kept-settings': keptSettings,
  '0030-search': search,
  '0031-clock-events': clockEvents,
  '0032-indexes-of-merchants': indexesOfMerchants,
  '0033-expired-grants': expiredGrants,
  '0034-selective-indexes': selectiveIndexes,
  '0035-line-credits': lineCredits,
  '0036-open-invoices': openInvoices,
  '0037-issued-codes': issuedCodes,
  '0038-former-owners': formerOwners,
  '0039-begun-periods': begunPeriods,
  '0040-pending-deliveries': pendingDeliveries,
  '0041-defaulted-invoices': defaultedInvoices,
  '0042-late-types-and-clocks': lateTypesAndClocks,
  '0043-clock-event-blocks': clockEventBlocks,
  '0044-present-subscriptions': presentSubscriptions,
  '0045-waiting-drafts': waitingDrafts,
  '0046-unanswered-requests': unansweredRequests,
  '0047-amounts-off': amountsOff,
  '0048-invoiced-customers': invoicedCustomers,
  '0049-long-columns-last': longColumnsLast,
  '0050-moved-prorations': movedProrations,
  '0051-deleted-objects': deletedObjects,
}
