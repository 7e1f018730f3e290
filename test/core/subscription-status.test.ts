import { expect, test } from 'vitest'
import {
  factsOf,
  isInTrial,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TRANSITIONS,
} from '../../src/core/subscription-status.ts'
import { allows } from '../../src/core/transitions.ts'

test.each(SUBSCRIPTION_STATUSES)('the facts of %s agree with its transitions', (status) => {
  const facts = factsOf({ status })
  expect(facts.hasEnded).toBe(!allows(SUBSCRIPTION_TRANSITIONS, status, 'cancel'))
  expect(facts.awaitsFirstPayment).toBe(allows(SUBSCRIPTION_TRANSITIONS, status, 'expire'))
  expect(facts.isOverdue).toBe(allows(SUBSCRIPTION_TRANSITIONS, status, 'recover'))
  expect(facts.isPaused).toBe(allows(SUBSCRIPTION_TRANSITIONS, status, 'begin') && !isInTrial({ status }))
  if (facts.isPaidUp) expect(allows(SUBSCRIPTION_TRANSITIONS, status, 'fail')).toBe(true)
  if (facts.hasEnded || facts.isPaused) expect(facts.atPeriodEnd).toBeNull()
})

test('a failed renewal changes only the status of an active subscription', () => {
  expect(SUBSCRIPTION_STATUSES.filter((status) => factsOf({ status }).isPaidUp)).toEqual(['active'])
})

test('a renewal of an unpaid subscription is not collected', () => {
  expect(SUBSCRIPTION_STATUSES.filter((status) => !factsOf({ status }).collectsRenewals)).toEqual(['unpaid'])
})
