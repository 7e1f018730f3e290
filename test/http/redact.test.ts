import { expect, test } from 'vitest'
import { redacted } from '../../src/http/redact.ts'
import { leastProcessorTime } from '../processor-time.ts'

const KEY = 'sk_test_51SecretSecretSecretSecret'

test.each([
  ['/v1/customers', '/v1/customers'],
  ['/v1/customers?limit=3&created[gte]=5', '/v1/customers?limit=3&created[gte]=5'],
  ['/v1/prices?lookup_key=pro&starting_after=price_1', '/v1/prices?lookup_key=pro&starting_after=price_1'],
  ['/v1/test_helpers/clock/advance', '/v1/test_helpers/clock/advance'],
  ['/v1/payment_methods/pm_card_visa/attach', '/v1/payment_methods/pm_card_visa/attach'],
  ['/v1/customers?', '/v1/customers?'],
  ['/v1/customers?flag', '/v1/customers?flag'],
  ['/v1/invoices?created[gte]=1795423754453&number=1', '/v1/invoices?created[gte]=1795423754453&number=1'],
  ['/v1/customers/cus_4929123456789012', '/v1/customers/cus_4929123456789012'],
  ['/v1/%zz?a=%zz', '/v1/%zz?a=%zz'],
])('%s stays as it is', (target, shown) => {
  expect(redacted(target)).toBe(shown)
})

test.each([
  [
    '/v1/payment_intents/pi_1?client_secret=pi_1_secret_abc',
    '/v1/payment_intents/pi_1?client_secret=[redacted]',
  ],
  ['/v1/payment_intents/pi_1?client_secret=anything', '/v1/payment_intents/pi_1?client_secret=[redacted]'],
  ['/v1/x?client%5Fsecret=anything&limit=1', '/v1/x?client%5Fsecret=[redacted]&limit=1'],
  ['/v1/x?a[client_secret]=anything', '/v1/x?a[client_secret]=[redacted]'],
  ['/v1/x?CLIENT_SECRET=anything', '/v1/x?CLIENT_SECRET=[redacted]'],
  ['/v1/x?api_key=anything&key=anything', '/v1/x?api_key=[redacted]&key=[redacted]'],
  ['/v1/x?code=anything&code_verifier=y', '/v1/x?code=[redacted]&code_verifier=[redacted]'],
  ['/v1/x?code[]=anything&code[0]=anything', '/v1/x?code[]=[redacted]&code[0]=[redacted]'],
  ['/v1/x?key[]=anything&key%5Ba%5D=anything', '/v1/x?key[]=[redacted]&key%5Ba%5D=[redacted]'],
  ['/v1/x?a[code][]=anything', '/v1/x?a[code][]=[redacted]'],
  [`/v1/x?q=${KEY}`, '/v1/x?q=[redacted]'],
  [`/v1/x?q=a?b=${KEY}`, '/v1/x?q=[redacted]'],
  [`/v1/x?${KEY}=1`, '/v1/x?[redacted]'],
  [`/v1/x?${KEY}`, '/v1/x?[redacted]'],
  [`/v1/x?q=%73k_test_51SecretSecret`, '/v1/x?q=[redacted]'],
  [`/v1/x?q=%2573k_test_51SecretSecret`, '/v1/x?q=[redacted]'],
  [`/v1/customers/${KEY}`, '/v1/customers/[redacted]'],
  ['/v1/customers/sk%5Ftest%5F51SecretSecret/x', '/v1/customers/[redacted]/x'],
  ['/v1/x?q=sk_live_51Secret', '/v1/x?q=[redacted]'],
  ['/v1/x?q=pk_test_51Secret', '/v1/x?q=[redacted]'],
  ['/v1/x?q=whsec_51Secret', '/v1/x?q=[redacted]'],
  ['/v1/x?q=oat_test_51Secret', '/v1/x?q=[redacted]'],
  ['/v1/x/pi_1_secret_abc', '/v1/x/[redacted]'],
  ['/v1/x/whsec_51Sec/ret+51/Secret=/y', '/v1/x/[redacted]'],
  [
    '/v1/payment_methods?card[number]=1&card[cvc]=9',
    '/v1/payment_methods?card[number]=[redacted]&card[cvc]=[redacted]',
  ],
  [
    '/v1/x?payment_method_data%5Bcard%5D%5Bnumber%5D=1',
    '/v1/x?payment_method_data%5Bcard%5D%5Bnumber%5D=[redacted]',
  ],
  ['/v1/payment_methods/4929123456789012', '/v1/payment_methods/[redacted]'],
  ['/v1/x?card=4929-1234-5678-9012', '/v1/x?card=[redacted]'],
  ['/v1/x?card=4929+1234+5678+9012&a=b', '/v1/x?card=[redacted]&a=b'],
  ['/v1/x?card=4929%201234%205678%209012', '/v1/x?card=[redacted]'],
  ['/v1/x?378282246310005=1', '/v1/x?[redacted]'],
])('%s is shown as %s', (target, shown) => {
  expect(redacted(target)).toBe(shown)
})

test('a very long text is cut after its secrets are removed', () => {
  const shown = redacted(`/v1/x?client_secret=${'s'.repeat(490)}&q=${'a'.repeat(10_000)}`)
  expect(shown.length).toBe(501)
  expect(shown).toMatch(/^\/v1\/x\?client_secret=\[redacted\]&q=a+…$/)
})

test('nested encodings are decoded only to a limit', () => {
  const deep = `/v1/x?q=%${'25'.repeat(8_000)}`
  expect(redacted(deep)).toMatch(/^\/v1\/x\?q=%25/)
})

test.each([
  ['parameters', `/v1/x?${'a=1&'.repeat(4_000)}`],
  ['encoded parameters', `/v1/x?${'%252541=%252541&'.repeat(1_000)}`],
  ['separators', `/v1/x?${'&'.repeat(16_000)}`],
  ['parts of a path', `/v1/${'x/'.repeat(8_000)}`],
  ['one encoded value', `/v1/x?q=${'%252541'.repeat(2_300)}`],
])('a target with many %s takes no longer than what is shown of it', async (_, target) => {
  const times = 200
  const used = await leastProcessorTime(() => {
    for (let time = 0; time < times; time += 1) redacted(target)
  }, 60)
  expect(used / times).toBeLessThan(0.3)
})

test('what is cut off behind a long part with a secret is not shown', () => {
  const card = '4929123456789012'
  expect(redacted(`/v1/x?q=${'a'.repeat(480)}-${card}`)).toBe('/v1/x?q=[redacted]')
  expect(redacted(`/v1/x?q=${'a'.repeat(480)}-${'%2534'.repeat(16)}`)).toBe('/v1/x?q=[redacted]')
})
