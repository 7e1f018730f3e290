import { cleanup, render } from 'ink-testing-library'
import { afterEach, expect, test } from 'vitest'
import { App } from '../../src/ui/app.tsx'
import { view } from '../../src/ui/view.ts'
import { played, sampleEvents, started } from './samples.ts'

afterEach(cleanup)

const frameOf = (state = started()) => view(state, { isColoured: false })
const STATE = played(started(), { kind: 'history', events: sampleEvents(3) })

function show(state = STATE) {
  const appOf = (shown = state) => <App frame={frameOf(shown)} columns={shown.columns} rows={shown.rows} />
  return { appOf, ...render(appOf()) }
}

test('the screen is header, body and status, from the first line to the last', () => {
  const lines = show().lastFrame()?.split('\n') ?? []
  expect(lines).toHaveLength(24)
  expect(lines[0]).toContain('connected')
  expect(lines[3]).toContain('▸ 01-31 10:00 customer.created')
  expect(lines[4]).toBe('')
  expect(lines[23]).toContain('following  3 events')
})

test('a new frame replaces the old one, also where lines only changed', () => {
  const { rerender, appOf, lastFrame } = show()
  rerender(appOf(played(STATE, 'k')))
  expect(lastFrame()?.split('\n')[2]).toContain('▸ 01-31 10:00 customer.created')
  rerender(appOf(played(STATE, '?')))
  expect(lastFrame()).toContain('Keys')
  expect(lastFrame()).not.toContain('customer.created')
})

test('it fills a terminal of another size', () => {
  const { rerender, appOf, lastFrame } = show()
  rerender(appOf(played(STATE, { kind: 'resized', columns: 60, rows: 10 })))
  const lines = lastFrame()?.split('\n') ?? []
  expect(lines).toHaveLength(10)
  expect(lines[9]).toContain('following')
})

test('wide characters do not shift the layout', () => {
  const wide = played(started(), '/', ...'日本')
  expect(show(wide).lastFrame()?.split('\n')[23]).toMatch(/^\/日本▏ 0 of 0 {2}.*Enter keep {2}Esc clear$/)
})
