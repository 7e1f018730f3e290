import { test as plain, type TestAPI } from 'vitest'
import type { Paytwin, PaytwinOptions } from './api.ts'
import { createPaytwin } from './create.ts'

/** The vitest fixtures of `test`. */
export type PaytwinFixtures = {
  /** The options of each test's sandbox. Set them with `test.override('paytwinOptions', …)` or `test.extend`. */
  paytwinOptions: PaytwinOptions
  /**
   * A sandbox for this test only. It is created when the test uses it, and closed when the test ends. If the test fails, the
   * timelines of its subscriptions are printed.
   */
  twin: Paytwin
}

/** vitest's `test` with the fixture `twin`: a separate sandbox for each test that uses it, also for concurrent tests. */
export const test: TestAPI<PaytwinFixtures> = plain.extend<PaytwinFixtures>({
  paytwinOptions: {},
  twin: async ({ paytwinOptions, task }, use) => {
    const twin = await createPaytwin(paytwinOptions)
    await use(twin)
    // vitest shows what is written to the console below the test's name.
    if (task.result?.state === 'fail') for (const { text } of await twin.stories()) console.error(`${text}\n`)
    await twin.close()
  },
})

/** An alias of `test`. */
export const it: TestAPI<PaytwinFixtures> = test
