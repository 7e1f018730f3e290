import type Stripe from 'stripe'
import type { ShownClock } from '../../../core/test-clock.ts'
import type { Wire } from '../wire.ts'

const SECONDS_PER_DAY = 86_400
const LIFETIME_DAYS = 30

export const presentTestClock = (shown: ShownClock): Wire<Stripe.TestHelpers.TestClock> => ({
  id: shown.id,
  object: 'test_helpers.test_clock',
  created: shown.created,
  deletes_after: shown.created + LIFETIME_DAYS * SECONDS_PER_DAY,
  frozen_time: shown.now,
  livemode: false,
  name: shown.name,
  status: shown.target === null ? 'ready' : 'advancing',
  status_details: shown.target === null ? {} : { advancing: { target_frozen_time: shown.target } },
})
