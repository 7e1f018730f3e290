import { expect, test } from 'vitest'
import { drawPicture, gapText } from '../../src/timeline/picture.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['seconds', 'text'],
    `
    1         +1 s
    119       +119 s
    60        +1 min
    90        +90 s
    130       +2 min
    5399      +90 min
    7140      +2 h
    50400     +14 h
    86400     +1 d
    122400    +34 h
    129601    +1.5 d
    2419200   +28 d
    1807200   +20.9 d
    31536000  +365 d
    `,
  ),
)('a gap of $seconds seconds is $text', ({ seconds, text }) => {
  expect(gapText(Number(seconds))).toBe(text)
})

test('there is no gap within an instant', () => {
  expect(gapText(0)).toBe('')
})

test.each([80, 200, 40, 10])('at %i columns no note is lost, and each instant is drawn once', (width) => {
  const moment = {
    at: 60,
    notes: [{ mark: '✗' as const, parts: ['renewal A-0002', '20.00 USD', 'attempt 1 of 5'] }],
    isTroubled: true,
  }
  const border = { at: 120, title: 'now' }
  const drawn = drawPicture({ past: [moment], border, future: [], isCut: false, goesOn: false }, width)
  const lines = drawn.map((line) =>
    line.map((span) => (typeof span === 'string' ? span : span.text)).join(''),
  )
  expect(lines.filter((line) => line.includes('1970-01-01T00:01Z'))).toHaveLength(1)
  expect(lines[0]).toContain('✗')
  if (width >= 80) expect(lines.join(' ')).toMatch(/renewal A-0002.*20\.00 USD.*attempt 1 of 5/s)
  if (width >= 40) expect(lines.slice(0, -1).every((line) => line.length <= width)).toBe(true)
})
