import { beforeEach, expect, test } from 'vitest'
import { warnOfIgnored } from '../../src/daemon/ignored-params.ts'

let warnings: unknown[][]
let warn: ReturnType<typeof warnOfIgnored>
beforeEach(() => {
  warnings = []
  warn = warnOfIgnored({ warn: (...given: unknown[]) => void warnings.push(given) })
})

test('a warning appears once for each route and name', () => {
  const id = 'cus_0123456789abcd'
  warn(`POST /v1/customers/${id}`, ['zebra'])
  warn('POST /v1/customers/cus_dcba9876543210', ['zebra'])
  warn(`POST /v1/customers/${id}`, ['zebra', 'items[0][yak]'])
  warn(`POST /v1/customers/${id}`, ['items[7][yak]'])
  warn(`DELETE /v1/customers/${id}`, ['zebra'])
  const text = 'ignored unknown parameters, which have no effect. --strict-params refuses them'
  expect(warnings).toEqual([
    [{ params: 'zebra' }, `POST /v1/customers/:id: ${text}`],
    [{ params: 'items[0][yak]' }, `POST /v1/customers/:id: ${text}`],
    [{ params: 'zebra' }, `DELETE /v1/customers/:id: ${text}`],
  ])
})

test('the warnings end at a limit, because callers choose the names', () => {
  for (let n = 0; n < 5_000; n += 1) warn('GET /v1/customers', [`zebra_${n}`])
  expect(warnings).toHaveLength(1_001)
  expect(warnings.at(-1)).toEqual(["further ignored parameters are not logged: see 'paytwin requests list'"])
})
