/** The first version with today's invoices and subscriptions: previews, lines, payments and periods have another form before it. */
export const BASIL_VERSION = '2025-03-31.basil'
