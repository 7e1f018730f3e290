import { expect, test } from 'vitest'
import { anchorOf, asCode, asMarkdown } from '../../src/text/markdown.ts'

test.each([
  ['begin after this event, as in evt_…', 'begin after this event, as in `evt_…`'],
  [
    'the data folder (PAYTWIN_DATA; default .paytwin)',
    'the data folder (`PAYTWIN_DATA`; default `.paytwin`)',
  ],
  ["of these types, as in 'invoice.*'.", 'of these types, as in `invoice.*`.'],
  ["the merchant's clock, and others' clocks", "the merchant's clock, and others' clocks"],
  ["like 'POST /v1/customers' or '/v1/prices*'", 'like `POST /v1/customers` or `/v1/prices*`'],
  ['with --json one object, or -n 3', 'with `--json` one object, or `-n` 3'],
  ['`paytwin stop` ends it', '`paytwin stop` ends it'],
  ['Names Request-Id and Idempotency-Key.', 'Names `Request-Id` and `Idempotency-Key`.'],
  ['until Ctrl-C', 'until Ctrl-C'],
  ['by 36h or 1mo, or P1M', 'by `36h` or `1mo`, or `P1M`'],
  ['1,000 of 8 at 20.00', '1,000 of 8 at 20.00'],
  ['as in items[0][price]; null', 'as in `items[0][price]`; null'],
  ['one of a < b', 'one of a \\< b'],
])('%j is %j in Markdown', (text, markdown) => {
  expect(asMarkdown(text)).toBe(markdown)
})

test('code may contain backticks', () => {
  expect(asCode('a')).toBe('`a`')
  expect(asCode('a `b`')).toBe('`` a `b` ``')
})

test.each([
  ['Options that commands share', 'options-that-commands-share'],
  ['GET /v1/payment_methods/{id}', 'get-v1payment_methodsid'],
  ['Time, and what it brings', 'time-and-what-it-brings'],
])('the anchor of %j is %j', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor)
})
