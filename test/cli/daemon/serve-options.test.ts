import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServeFlags, serveOptions } from '../../../src/cli/daemon/serve-options.ts'
import { temporaryFolder } from '../executable.ts'

const options = (flags: ServeFlags = {}, env: Record<string, string> = {}) => serveOptions(flags, { env })

test('by default the daemon listens on loopback and keeps its data in .paytwin', () => {
  expect(options()).toMatchObject({
    host: '127.0.0.1',
    port: 4242,
    publicUrl: null,
    data: '.paytwin',
    adminToken: null,
    adminTokenFile: null,
    generateAdminToken: false,
    clock: null,
    seed: null,
    secretKey: null,
    fixtures: [],
    durability: 'normal',
    allowedHosts: [],
    oauthErrors: 'envelope',
    logLevel: 'info',
    json: false,
  })
})

test.each<[keyof ReturnType<typeof options>, unknown, ServeFlags, Record<string, string>]>([
  ['port', 0, { port: '0' }, { PAYTWIN_PORT: '0' }],
  ['host', '::1', { host: '::1' }, { PAYTWIN_HOST: '::1' }],
  [
    'publicUrl',
    'https://pay.example',
    { publicUrl: 'https://pay.example/' },
    { PAYTWIN_PUBLIC_URL: 'https://pay.example' },
  ],
  ['data', 'd', { data: 'd' }, { PAYTWIN_DATA: 'd' }],
  ['data', null, { ephemeral: true }, { PAYTWIN_EPHEMERAL: '1' }],
  ['adminTokenFile', 'f', { adminTokenFile: 'f' }, { PAYTWIN_ADMIN_TOKEN_FILE: 'f' }],
  ['generateAdminToken', true, { generateAdminToken: true }, { PAYTWIN_GENERATE_ADMIN_TOKEN: '1' }],
  ['clock', 'live', { clock: 'live' }, { PAYTWIN_CLOCK: 'live' }],
  ['clock', 1_769_853_600, { clock: '2026-01-31T10:00:00Z' }, { PAYTWIN_CLOCK: '1769853600' }],
  ['seed', '7', { seed: '7' }, { PAYTWIN_SEED: '7' }],
  ['secretKey', 'sk_test_x', { secretKey: 'sk_test_x' }, { PAYTWIN_SECRET_KEY: 'sk_test_x' }],
  ['fixtures', ['a b', 'c'], { fixtures: ['a b', 'c'] }, { PAYTWIN_FIXTURES: 'a b, c' }],
  ['durability', 'full', { durability: 'full' }, { PAYTWIN_DURABILITY: 'full' }],
  ['allowedHosts', ['a', 'b'], { allowedHost: ['a', 'b'] }, { PAYTWIN_ALLOWED_HOST: 'a, b' }],
  ['rateLimit', 5, { rateLimit: '5' }, { PAYTWIN_RATE_LIMIT: '5' }],
  ['keyCacheSeconds', 60, { keyCacheTtl: '60' }, { PAYTWIN_KEY_CACHE_TTL: '60' }],
  ['strictParams', true, { strictParams: true }, { PAYTWIN_STRICT_PARAMS: 'true' }],
  ['oauthErrors', 'rfc6749', { oauthErrors: 'rfc6749' }, { PAYTWIN_OAUTH_ERRORS: 'rfc6749' }],
  ['logLevel', 'warn', { logLevel: 'warn' }, { PAYTWIN_LOG_LEVEL: 'warn' }],
  ['json', true, { json: true }, { PAYTWIN_JSON: 'yes' }],
])('%s is %j by its flag and by its variable', (name, value, flags, env) => {
  expect(options(flags)[name]).toEqual(value)
  expect(options({}, env)[name]).toEqual(value)
})

test('the secret key can be in a file', () => {
  const folder = temporaryFolder()
  const [file, other] = ['one', 'other'].map((name) => join(folder.path, name)) as [string, string]
  writeFileSync(file, 'sk_test_1\n')
  writeFileSync(other, 'sk_test_2\n')
  expect(options({ secretKeyFile: file }, { PAYTWIN_SECRET_KEY: 'sk_test_3' }).secretKey).toBe('sk_test_1')
  expect(options({ secretKeyFile: file }, { PAYTWIN_SECRET_KEY_FILE: other }).secretKey).toBe('sk_test_1')
  expect(options({}, { PAYTWIN_SECRET_KEY_FILE: other }).secretKey).toBe('sk_test_2')
  expect(() => options({ secretKeyFile: file, secretKey: 'sk_test_3' })).toThrow(/cannot be combined/)
  expect(() => options({ secretKeyFile: `${file}-none` })).toThrow(/--secret-key-file cannot be read: ENOENT/)
  folder.remove()
})

test('a flag wins over its variable', () => {
  expect(options({ port: '1' }, { PAYTWIN_PORT: '2' }).port).toBe(1)
  expect(options({ data: 'd' }, { PAYTWIN_EPHEMERAL: '1' }).data).toBe('d')
  expect(options({ ephemeral: true }, { PAYTWIN_DATA: 'd' }).data).toBeNull()
})

test('a variable can switch an option off', () => {
  expect(options({}, { PAYTWIN_EPHEMERAL: '0', PAYTWIN_JSON: 'false' })).toMatchObject({
    data: '.paytwin',
    json: false,
  })
})

test('a variable that is empty counts as unset', () => {
  const names = [
    ...[
      'PORT',
      'HOST',
      'PUBLIC_URL',
      'DATA',
      'EPHEMERAL',
      'ADMIN_TOKEN',
      'ADMIN_TOKEN_FILE',
      'CLOCK',
      'SEED',
      'SECRET_KEY',
    ],
    ...['FIXTURES', 'DURABILITY', 'ALLOWED_HOST', 'WEBHOOK_ALLOW', 'RATE_LIMIT', 'KEY_CACHE_TTL'],
    ...['STRICT_PARAMS', 'OAUTH_ERRORS', 'LOG_LEVEL', 'JSON'],
  ]
  const env = Object.fromEntries(names.map((name) => [`PAYTWIN_${name}`, '']))
  expect(options({}, env)).toEqual(options())
})

test('the admin token is only taken from the environment', () => {
  expect(options({}, { PAYTWIN_ADMIN_TOKEN: 'x' }).adminToken).toBe('x')
})

test.each<[ServeFlags, Record<string, string>]>([
  [{ port: '65536' }, {}],
  [{ port: '-1' }, {}],
  [{ port: 'http' }, {}],
  [{ publicUrl: 'localhost:8080' }, {}],
  [{ publicUrl: 'http://localhost/pay' }, {}],
  [{ clock: 'yesterday' }, {}],
  [{ clock: '2026-02-30' }, {}],
  [{ durability: 'some' }, {}],
  [{ logLevel: 'loud' }, {}],
  [{ keyCacheTtl: '61' }, {}],
  [{ rateLimit: '0' }, {}],
  [{ oauthErrors: 'flat' }, {}],
  [{ data: 'd', ephemeral: true }, {}],
  [{}, { PAYTWIN_DATA: 'd', PAYTWIN_EPHEMERAL: '1' }],
  [{}, { PAYTWIN_EPHEMERAL: 'maybe' }],
])('%j with %j is wrong usage', (flags, env) => {
  expect(() => options(flags, env)).toThrow(expect.objectContaining({ exitStatus: 2 }))
})
