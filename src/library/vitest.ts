import { test as plain, type TestAPI } from 'vitest'
import type { Paytwin, PaytwinOptions } from './api.ts'
import { createPaytwin } from './create.ts'

/** What `test` adds to vitest's own. */
export type PaytwinFixtures = {
  /** With what each test's sandbox begins; to be set with `test.override('paytwinOptions', …)` or `test.extend`. */
  paytwinOptions: PaytwinOptions
  /** A sandbox of the test's own, which is there when the test asks for it and closed when it ends. */
  twin: Paytwin
}

/** vitest's `test`, with a sandbox of its own for each test that asks for one. Concurrent tests do not meet. */
export const test: TestAPI<PaytwinFixtures> = plain.extend<PaytwinFixtures>({
  paytwinOptions: {},
  twin: async ({ paytwinOptions }, use) => {
    const twin = await createPaytwin(paytwinOptions)
    await use(twin)
    await twin.close()
  },
})

/** The same as `test`. */
export const it: TestAPI<PaytwinFixtures> = test
