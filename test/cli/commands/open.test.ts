import { expect, test } from 'vitest'
import { asReached, openerOf } from '../../../src/cli/browser.ts'

test.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', {}, []],
  ['linux', { DISPLAY: '' }, []],
] as const)('on %s with %j, the browser is opened with %j', (platform, env, opener) => {
  expect(openerOf(platform, env)).toEqual(opener)
})

test.each([
  ['http://127.0.0.1:4242', 'http://localhost:4242/p', 'http://127.0.0.1:4242/p'],
  ['http://localhost:8080/', 'http://localhost:4242/p', 'http://localhost:8080/p'],
  ['http://0.0.0.0:4242', 'http://localhost:4242/p', 'http://localhost:4242/p'],
  ['http://[::]:4242', 'https://pay.example/p?a=b', 'https://pay.example/p?a=b'],
])('a command that reaches the daemon at %s opens %s at %s', (reached, url, opened) => {
  expect(asReached(url, reached)).toBe(opened)
})
