import { describe, expect, test } from 'vitest'
import { KINDS, type Kind, prefixOf } from '../../src/core/kinds.ts'
import { componentSchemas } from '../../src/http/openapi/json-schema.ts'
import { RESOURCES } from '../../src/http/resources.ts'
import { componentOf } from '../../src/http/schemas/component.ts'
import { startTwin } from '../twin.ts'

/** The `object` of resources whose collection has another name. */
const OBJECT_NAMES: { readonly [K in Kind]?: string } = {
  customer_balance_transaction: 'customer_balance_transaction',
  billing_meter: 'billing.meter',
}
/** The ids of these may be chosen. */
const NAMED_BY_MERCHANTS: readonly Kind[] = ['coupon']
/** These are shown only within the objects that they reduce. */
const SHOWN_WITHIN_OTHERS: readonly Kind[] = ['discount']
/** Only merchants with Stripe's API have routes for these. */
const OF_STRIPE: readonly Kind[] = [
  'setup_intent',
  'checkout_session',
  'billing_portal_configuration',
  'billing_portal_session',
]

const SCHEMAS = componentSchemas()

describe.each(KINDS.filter((kind) => !OF_STRIPE.includes(kind)))('%s', (kind) => {
  test('has a component with its name, whose ids have its prefix', () => {
    const { properties } = SCHEMAS[componentOf(kind).name] ?? {}
    expect(properties?.object?.const).toBe(OBJECT_NAMES[kind] ?? RESOURCES[kind].collection.replace(/s$/, ''))
    const id = NAMED_BY_MERCHANTS.includes(kind)
      ? 'The id: of your choice, or random.'
      : `The id, which begins with ${prefixOf(kind)}_.`
    expect(properties?.id?.description).toBe(id)
  })
})

describe.each(KINDS.filter((kind) => ![...SHOWN_WITHIN_OTHERS, ...OF_STRIPE].includes(kind)))(
  '%s',
  (kind) => {
    test('can be listed and retrieved', async () => {
      const { sandbox, close } = await startTwin()
      const { collection } = RESOURCES[kind]
      const paths = sandbox.routes.filter(({ method }) => method === 'get').map(({ path }) => path)
      const inPath = collection.replaceAll(/\{(\w+)\}/g, ':$1')
      const ofOne = paths.filter((path) => path.startsWith(`/v1/${inPath}/:`))
      expect(paths).toContain(`/v1/${inPath}`)
      expect(ofOne).not.toEqual([])
      await close()
    })
  },
)
