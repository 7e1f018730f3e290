import { expect, test } from 'vitest'
import { openerOf } from '../../../src/cli/browser.ts'

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
