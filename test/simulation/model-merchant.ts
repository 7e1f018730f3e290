import type { Merchant } from './model-state.ts'

/** A merchant without objects. */
export const newMerchant = (now: number): Merchant => ({
  now,
  clocks: [],
  finalAction: 'cancel',
  notices: {
    ...{ invoice_upcoming: null, trial_will_end: null, invoice_will_be_due: null, invoice_overdue: null },
  },
  customers: [],
  methods: [],
  prices: [],
  items: [],
  shortened: [],
  subscriptions: [],
  schedules: [],
  invoices: [],
  intents: [],
  charges: [],
  refunds: [],
  notes: [],
  disputes: [],
  products: [],
  coupons: [],
  codes: [],
  discounts: [],
  meters: [],
  meterEvents: [],
  counters: {},
  plans: new Map(),
})
