import { expect, test } from 'vitest'
import { Change } from '../../src/core/change.ts'
import type { Invoice } from '../../src/core/invoice.ts'
import { withoutRetries } from '../../src/core/invoice-plan.ts'
import { aCustomer, anOpenInvoice, NOW } from './objects.ts'

const renamed = (name: string) => (customer: ReturnType<typeof aCustomer>) => ({ ...customer, name })

test('each update starts from the result of the step before', () => {
  const change = new Change()
  const ada = change.create('customer', aCustomer(), 'customer.created')
  const bea = change.update('customer', ada, renamed('Bea'), 'customer.updated')
  expect(change.steps).toEqual([
    { kind: 'customer', before: null, after: ada, event: 'customer.created' },
    { kind: 'customer', before: ada, after: bea, event: 'customer.updated' },
  ])
})

test('an update starts from the latest state, whichever state it is given', () => {
  const change = new Change()
  const ada = aCustomer()
  change.update('customer', ada, renamed('Bea'))
  change.update('customer', ada, (customer) => ({ ...customer, email: 'bea@example.com' }))
  expect(change.latest('customer', ada)).toMatchObject({ name: 'Bea', email: 'bea@example.com' })
})

test('an update without a change or an event adds no step', () => {
  const change = new Change()
  const ada = aCustomer()
  expect(change.update('customer', ada, (customer) => customer)).toBe(ada)
  expect(change.steps).toEqual([])
})

test('an event is emitted even when nothing changed', () => {
  const change = new Change()
  change.update('customer', aCustomer(), (customer) => customer, 'customer.updated')
  expect(change.steps).toMatchObject([{ event: 'customer.updated' }])
})

test('an object without a step is unchanged', () => {
  const change = new Change()
  change.update('customer', aCustomer({ id: 'cus_2' }), renamed('Bea'))
  const ada = aCustomer()
  expect(change.latest('customer', ada)).toBe(ada)
})

test('the gain counts objects that start or stop meeting a condition', () => {
  const isAda = ({ name }: ReturnType<typeof aCustomer>) => name === 'Ada'
  const change = new Change()
  const stored = aCustomer({ id: 'cus_1', name: 'Ada' })
  change.create('customer', aCustomer({ id: 'cus_2', name: 'Ada' }))
  expect(change.gain('customer', isAda)).toBe(1)
  change.update('customer', stored, renamed('Bea'))
  expect(change.gain('customer', isAda)).toBe(0)
  change.update('customer', stored, renamed('Cleo'))
  expect(change.gain('customer', isAda)).toBe(0)
  change.update('customer', aCustomer({ id: 'cus_2', name: 'Ada' }), renamed('Dora'))
  expect(change.gain('customer', isAda)).toBe(-1)
})

test('the steps of an appended change come after the existing ones', () => {
  const [change, later] = [new Change(), new Change()]
  later.create('customer', aCustomer({ id: 'cus_2' }), 'customer.created')
  change.create('customer', aCustomer({ id: 'cus_1' }), 'customer.created')
  change.append(later)
  expect(change.steps.map(({ after }) => after.id)).toEqual(['cus_1', 'cus_2'])
})

test('an invoice of which only the plan was read has one step, unless it has a whole one', () => {
  const change = new Change()
  const [read, whole] = ['in_1', 'in_2'].map((id) => anOpenInvoice({ id, next_payment_attempt: NOW })) as [
    Invoice,
    Invoice,
  ]
  change.updatePlan(read, withoutRetries)
  expect(change.steps).toMatchObject([{ isPlan: true, after: { id: 'in_1', next_payment_attempt: null } }])
  expect(() => change.update('invoice', read, (latest) => ({ ...latest }))).toThrow('is its only one')

  change.update('invoice', whole, (latest) => ({ ...latest, attempted: true }))
  change.updatePlan(whole, withoutRetries)
  change.updatePlan(whole, withoutRetries)
  expect(change.steps).toHaveLength(3)
  expect(change.latest('invoice', whole)).toMatchObject({ attempted: true, next_payment_attempt: null })
})

test('a charge attempt is recorded at most once, appended changes included', () => {
  const [change, later] = [new Change(), new Change()]
  expect(change.hasAttempt).toBe(false)
  later.noteAttempt()
  change.append(later)
  expect(change.hasAttempt).toBe(true)
  expect(() => change.noteAttempt()).toThrow('at most one attempt')
})

test('the cost of an update does not grow with the number of earlier steps', () => {
  const change = new Change()
  let reads = 0
  const counted = (id: string) => ({
    ...aCustomer(),
    get id() {
      reads += 1
      return id
    },
  })
  const count = 1_000
  for (let n = 0; n < count; n += 1) change.create('customer', counted(`cus_new_${n}`))
  for (let n = 0; n < count; n += 1) {
    change.update('customer', counted(`cus_${n}`), (customer) => customer, 'customer.updated')
  }
  expect(change.steps).toHaveLength(2 * count)
  expect(reads).toBeLessThan(10 * count)
})

test('an appended change updates the latest states of its objects', () => {
  const [change, later] = [new Change(), new Change()]
  const ada = aCustomer()
  change.update('customer', ada, renamed('Bea'))
  later.update('customer', change.latest('customer', ada), renamed('Cleo'))
  change.append(later)
  expect(change.latest('customer', ada).name).toBe('Cleo')
})
