import { expect, test } from 'vitest'
import { PLAIN, type Style } from './cells.ts'
import { type Hex, paintOf, partsOf, THEME } from './theme.ts'

/** How bright a colour is, from 0 to 1, and how two colours differ, from 1 to 21. Source: WCAG 2.2. */
function luminance(colour: Hex): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
function contrast(one: Hex, other: Hex): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('contrast is measured as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

test.each<[what: string, style: Partial<Style>]>([
  ['text', {}],
  ['dim text', { isDim: true }],
  ['selected text', { isInverse: true }],
  ['dim selected text', { isInverse: true, isDim: true }],
  ...['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].map((name, index): [string, Partial<Style>] => [
    name,
    { colour: index + 1 },
  ]),
])('%s can be read by weak eyes', (_what, change) => {
  const { fill, ground } = paintOf({ ...PLAIN, ...change })
  expect(contrast(fill, ground ?? THEME.ground)).toBeGreaterThan(change.isInverse && change.isDim ? 3 : 5.5)
})

test('the title of the window too', () => {
  expect(contrast(THEME.title, THEME.bar)).toBeGreaterThan(5.5)
})
