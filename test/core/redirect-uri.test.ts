import { expect, test } from 'vitest'
import { checkRedirectUri, formActionOf, redirectTo } from '../../src/core/redirect-uri.ts'

test.each([
  'https://app.example',
  'https://app.example/',
  'https://app.example/callback',
  'https://app.example:8443/callback?from=paytwin',
  'https://app.example/a%20b',
  'http://localhost/callback',
  'http://localhost:8080/callback',
  'http://127.0.0.1:8080/callback',
  'http://127.1.2.3/callback',
  'http://[::1]:8080/callback',
  'com.example.app:/callback',
  'com.example.app://callback',
])('%s can be registered', (uri) => {
  expect(() => checkRedirectUri(uri, 'redirect_uris[0]')).not.toThrow()
})

test.each([
  ['', 'nothing'],
  ['/callback', 'relative'],
  ['app.example/callback', 'no scheme'],
  ['//app.example/callback', 'no scheme'],
  ['http://app.example/callback', 'http beyond the loopback'],
  ['http://localhost.evil.example/', 'http beyond the loopback'],
  ['http://127.0.0.1.evil.example/', 'http beyond the loopback'],
  ['http://0.0.0.0/', 'http beyond the loopback'],
  ['https:app.example', 'no slashes'],
  ['https:///app.example', 'three slashes'],
  ['https:\\\\app.example', 'backslashes'],
  ['https://app.example\\@evil.example/', 'a backslash'],
  ['https://user@app.example/', 'a user'],
  ['https://user:secret@app.example/', 'a user'],
  ['https://app.example#fragment', 'a fragment'],
  ['https://app.example/#', 'an empty fragment'],
  ['https://*.example/', 'a wildcard'],
  ['https://app.example/a b', 'a blank'],
  ['https://app.example/\n', 'a line break'],
  ['\thttps://app.example/', 'a tab'],
  ['https://äpp.example/', 'a letter beyond ASCII'],
  ['https://app.example/"><script>', 'markup'],
  ['https://app.example:port/', 'no port'],
  ['https://app.example;script-src/', 'no host'],
  ['https://app%2eexample/', 'no host'],
  ['https://[::1/', 'no host'],
  ['javascript:alert(1)', 'a scheme without a dot'],
  ['data:text/html,x', 'a scheme without a dot'],
  ['file:///etc/passwd', 'a scheme without a dot'],
  ['myapp:/callback', 'a scheme without a dot'],
  ['about:blank', 'a scheme without a dot'],
  [`https://app.example/${'x'.repeat(2_000)}`, 'too long'],
])('%j cannot be registered: %s', (uri) => {
  expect(() => checkRedirectUri(uri, 'redirect_uris[1]')).toThrow(
    expect.objectContaining({ code: 'parameter_invalid', param: 'redirect_uris[1]' }),
  )
})

test.each([
  ['https://app.example/cb', 'https://app.example/cb?code=c&state=s'],
  ['https://app.example', 'https://app.example?code=c&state=s'],
  ['https://app.example/cb?', 'https://app.example/cb?code=c&state=s'],
  ['https://app.example/cb?a=1', 'https://app.example/cb?a=1&code=c&state=s'],
  ['https://app.example/cb?a=1&', 'https://app.example/cb?a=1&code=c&state=s'],
  ['com.example.app:/cb', 'com.example.app:/cb?code=c&state=s'],
])('a response is appended to %s unchanged', (uri, address) => {
  expect(redirectTo(uri, { code: 'c', state: 's' })).toBe(address)
})

test('a response omits absent parameters and escapes the others', () => {
  expect(redirectTo('https://app.example', { code: 'c', state: null })).toBe('https://app.example?code=c')
  const state = 'a&code=evil#x\r\nSet-Cookie: y=1 ü\ud800'
  const address = redirectTo('https://app.example/', { error: 'access_denied', state })
  expect(address).toMatch(/^[\x21-\x7e]+$/)
  const params = new URL(address).searchParams
  expect([...params.keys()]).toEqual(['error', 'state'])
  expect(params.get('state')).toBe(state.toWellFormed())
})

test.each([
  ['https://app.example/callback?x=1', 'https://app.example'],
  ['https://app.example:8443/', 'https://app.example:8443'],
  ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080/callback', 'http:'],
  ['com.example.app:/callback', 'com.example.app:'],
])('the form-action of %s is %s', (uri, source) => {
  expect(formActionOf(uri)).toBe(source)
})
