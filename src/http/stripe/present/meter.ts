import type Stripe from 'stripe'
import type { Meter } from '../../../core/meter.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'

export const presentMeter = (_view: View, meter: Meter): Wire<Stripe.Billing.Meter> => ({
  id: meter.id,
  object: 'billing.meter',
  created: meter.created,
  customer_mapping: { ...meter.customer_mapping },
  default_aggregation: { ...meter.default_aggregation },
  display_name: meter.display_name,
  event_name: meter.event_name,
  event_time_window: null,
  livemode: false,
  status: meter.status,
  status_transitions: { deactivated_at: meter.deactivated_at },
  updated: meter.updated,
  value_settings: { ...meter.value_settings },
})
