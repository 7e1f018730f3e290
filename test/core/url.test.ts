import { expect, test } from 'vitest'
import { MAX_AUTHORITY, parseUrl } from '../../src/core/url.ts'
import { leastProcessorTime } from '../processor-time.ts'

/** A host of different letters, which the URL parser converts in a time that grows with the square of their number. */
const hostOf = (letters: number): string =>
  String.fromCodePoint(...Array.from({ length: letters }, (_, index) => 0x4e00 + (index % 20_000)))

test.each([
  'https://shop.example/a?b#c',
  'https:shop.example',
  `http://${hostOf(100)}.example/`,
  `https://shop.example/${hostOf(3_000)}`,
  `https://shop.example?${'a'.repeat(5_000)}`,
  `data:image/png;base64,${'a'.repeat(5_000)}`,
  `com.example.app:/${'a'.repeat(5_000)}`,
])('%s is parsed as usual', (text) => {
  expect(parseUrl(text)?.href).toBe(new URL(text).href)
})

test.each(['', 'shop', '/path', 'http://', 'http://a b/', `http://${'a'.repeat(MAX_AUTHORITY + 1)}/`])(
  '%s is no URL',
  (text) => {
    expect(parseUrl(text)).toBeUndefined()
  },
)

test.each([
  ['', 'https://', '/'],
  ['', 'https:', ''],
  ['', 'hTTps:\\/\\', '?'],
  [' \u0001', 'h\tt\ntps:/\r/', '#'],
  ['', 'ftp://user@', ':80/'],
  ['', 'ws://', ''],
  ['', 'file:///', ''],
])('a long host is not converted: %j %j … %j', async (before, scheme, after) => {
  for (const host of [
    hostOf(50_000),
    encodeURIComponent(hostOf(5_000)),
    hostOf(5_000).split('').join('\t'),
  ]) {
    const text = before + scheme + host + after
    expect(parseUrl(text)).toBeUndefined()
    // It took from 40 ms up to seconds.
    expect(await leastProcessorTime(() => parseUrl(text), 20)).toBeLessThan(20)
  }
})
