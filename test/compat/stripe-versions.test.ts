import { describe, expect, test } from 'vitest'
import { SDKS, type SdkName, startVersion } from './stripe-sdks.ts'
import { BEFORE_BASIL, runStory, SINCE_BASIL } from './stripe-story.ts'

const VERSIONS: Readonly<Record<SdkName, string>> = {
  'stripe-14': '2023-10-16',
  'stripe-17': '2025-02-24.acacia',
  stripe: '2026-10-28.endive',
}

describe('an application with the official SDK', () => {
  test.each(SDKS)('%s, without a version of its own, is served in that of the SDK', async (name) => {
    const sdk = await startVersion(name)
    const { version } = await runStory(sdk, name === 'stripe' ? SINCE_BASIL : BEFORE_BASIL)
    expect(version).toBe(VERSIONS[name])
    expect([...new Set(sdk.illTyped)]).toEqual([])
    await sdk.close()
  })
})
