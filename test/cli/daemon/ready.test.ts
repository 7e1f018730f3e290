import { expect, test } from 'vitest'
import { firstSteps, readyLine, readyObject } from '../../../src/cli/daemon/ready.ts'

const daemon = {
  url: 'http://127.0.0.1:4242',
  clock: 'live',
  data: '.paytwin',
  merchant: 'mer_1',
  secretKey: null,
  adminToken: null,
  adminTokenFile: '.paytwin/admin-token',
  dashboard: 'http://127.0.0.1:4242/dashboard/open?code=dlk_test_1',
  fixtureSecrets: [],
}
const SECRETS = [
  { object: 'app', ref: 'ledgerly', id: 'app_1', secret: 'ocs_test_1' },
  { object: 'webhook_endpoint', ref: null, id: 'we_1', secret: 'whsec_1' },
] as const

test('the ready line has URL, clock and data folder', () => {
  expect(readyLine(daemon, '0.1.0')).toBe(
    'paytwin 0.1.0 ready on http://127.0.0.1:4242 (clock live, data .paytwin)',
  )
  expect(readyLine({ ...daemon, clock: '2026-01-31T10:00:00Z', data: null }, '0.1.0')).toBe(
    'paytwin 0.1.0 ready on http://127.0.0.1:4242 (clock 2026-01-31T10:00:00Z, data in memory)',
  )
})

test.each([
  [{}, { admin_token_file: '.paytwin/admin-token' }],
  [{ secretKey: 'sk_test_1' }, { secret_key: 'sk_test_1', admin_token_file: '.paytwin/admin-token' }],
  [{ adminTokenFile: null, adminToken: 'token' }, { admin_token: 'token' }],
  [{ adminTokenFile: null }, {}],
  [{ adminTokenFile: null, fixtureSecrets: SECRETS }, { fixture_secrets: SECRETS }],
])('the ready object of %j has only the secrets of this start', (given, secrets) => {
  expect(readyObject({ ...daemon, ...given }, { version: '0.1.0', pid: 1 })).toEqual({
    event: 'ready',
    url: 'http://127.0.0.1:4242',
    version: '0.1.0',
    pid: 1,
    merchant: 'mer_1',
    dashboard: 'http://127.0.0.1:4242/dashboard/open?code=dlk_test_1',
    ...secrets,
  })
})

test('a new key is shown with a first request to copy', () => {
  expect(firstSteps({ ...daemon, secretKey: 'sk_test_1' }).join('\n')).toContain(
    'curl http://127.0.0.1:4242/v1/customers -u sk_test_1: -d email=ada@example.com',
  )
})

test('a later start explains how to get a key', () => {
  expect(firstSteps(daemon)).toEqual([
    "Use the key given with --secret-key or shown at the first start, or create another with 'paytwin keys create'.",
    "Dashboard (the link works once; 'paytwin open' makes another): http://127.0.0.1:4242/dashboard/open?code=dlk_test_1",
    'API reference: http://127.0.0.1:4242/docs',
  ])
})

test('the secrets of fixtures are shown', () => {
  expect(firstSteps({ ...daemon, fixtureSecrets: SECRETS })).toEqual(
    expect.arrayContaining([
      "Secret of the app 'ledgerly' app_1 (shown only once): ocs_test_1",
      'Secret of the webhook endpoint we_1 (shown only once): whsec_1',
    ]),
  )
})
