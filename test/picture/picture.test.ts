import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makePicture, PICTURE } from './picture.ts'

test('docs/terminal.svg shows the terminal UI as it is', async () => {
  const made = await makePicture()
  expect(Buffer.byteLength(made)).toBeLessThan(60_000)
  expect(
    made === readFileSync(PICTURE, 'utf8'),
    'it shows what has changed since: run `npm run picture`',
  ).toBe(true)
})
