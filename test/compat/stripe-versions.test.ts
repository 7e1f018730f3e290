import { describe, expect, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { makeCalls } from './stripe-calls.ts'
import { makeObjects } from './stripe-objects.ts'
import { SDKS, type SdkName, startVersion } from './stripe-sdks.ts'
import { BEFORE_BASIL, type Era, runStory, SINCE_BASIL } from './stripe-story.ts'

const VERSIONS: Readonly<Record<SdkName, { readonly version: string; readonly era: Era }>> = {
  'stripe-14': { version: '2023-10-16', era: BEFORE_BASIL },
  'stripe-17': { version: '2025-02-24.acacia', era: BEFORE_BASIL },
  stripe: { version: '2026-10-28.endive', era: SINCE_BASIL },
}

describe.each(SDKS)('an application with %s that names no version', (name) => {
  const { version, era } = VERSIONS[name]

  test('is served in the version of the SDK, through the life of a subscription', async () => {
    const sdk = await startVersion(name)
    expect(await runStory(sdk, era)).toBe(version)
    expect([...new Set(sdk.illTyped)]).toEqual([])
    await sdk.close()
  })

  test('gets the right result of each call in the life of a customer', async () => {
    const sdk = await startVersion(name)
    const merchant = sdk.twin.sandbox.merchant.settings.id
    await asOperator(sdk.twin)('POST', `merchants/${merchant}`, { api_version: version })
    const made = await makeCalls(sdk, era)
    expect([...new Set(sdk.illTyped)]).toEqual([])
    expect(made.size).toBeGreaterThanOrEqual(88)
    await sdk.close()
  })

  test('gets objects of every kind with the types of the SDK', async () => {
    const sdk = await startVersion(name)
    // Events have the default version of the account.
    const merchant = sdk.twin.sandbox.merchant.settings.id
    await asOperator(sdk.twin)('POST', `merchants/${merchant}`, { api_version: version })
    await makeObjects(sdk, era)
    expect([...new Set(sdk.illTyped)]).toEqual([])
    await sdk.close()
  })
})
