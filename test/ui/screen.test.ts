import { expect, test } from 'vitest'
import { Screen } from '../../src/ui/screen.ts'

const ESC = '\u001b'

function tested(size: { columns?: number; rows?: number } = { columns: 10, rows: 3 }) {
  const output = { ...size, written: '', write: (text: string) => (output.written += text) }
  const take = () => {
    const { written } = output
    output.written = ''
    return written.replaceAll(ESC, '^')
  }
  return { output, screen: new Screen(output), take }
}

test('it switches to the alternate screen and back, and restores cursor and wrapping', () => {
  const { screen, take } = tested()
  screen.enter()
  expect(take()).toBe('^[?1049h^[?25l^[?7l^[2J')
  screen.leave()
  expect(take()).toBe('^[?7h^[?25h^[?1049l')
  screen.leave()
  expect(take()).toBe('')
})

test('only lines that differ are painted, each at its place and all in one piece', () => {
  const { screen, take } = tested()
  screen.enter()
  take()
  screen.write('one\ntwo\nthree')
  expect(take()).toBe('^[?2026h^[1;1H^[2Kone^[2;1H^[2Ktwo^[3;1H^[2Kthree^[?2026l')
  screen.write('one\n2\nthree')
  expect(take()).toBe('^[?2026h^[2;1H^[2K2^[?2026l')
  screen.write('one\n2\nthree')
  expect(take()).toBe('')
})

test('a line is painted by itself, and the next frame begins with it', () => {
  const { screen, take } = tested()
  screen.enter()
  screen.write('one\ntwo')
  take()
  screen.paintLine(0, '1')
  expect(take()).toBe('^[?2026h^[1;1H^[2K1^[?2026l')
  screen.write('1\ntwo')
  screen.paintLine(2, 'three')
  expect(take()).toBe('')
  screen.leave()
  take()
  screen.paintLine(0, 'one')
  expect(take()).toBe('')
})

test('removed lines are cleared, and lines below the screen are not painted', () => {
  const { screen, take } = tested()
  screen.enter()
  screen.write('one\ntwo\nthree')
  take()
  screen.write('one')
  expect(take()).toBe('^[?2026h^[2;1H^[2K^[3;1H^[2K^[?2026l')
  screen.write('1\n2\n3\n4')
  expect(take()).not.toContain('4;1H')
})

test('after forget(), all lines are painted', () => {
  const { screen, take } = tested()
  screen.enter()
  screen.write('one\ntwo')
  take()
  screen.forget()
  screen.write('one\ntwo')
  expect(take()).toBe('^[2J^[?2026h^[1;1H^[2Kone^[2;1H^[2Ktwo^[?2026l')
})

test('nothing is written before enter() and after leave()', () => {
  const { screen, take } = tested()
  screen.write('before')
  screen.forget()
  screen.enter()
  screen.leave()
  take()
  screen.write('after')
  expect(take()).toBe('')
})

test('a terminal with an unknown size counts as 80 by 24', () => {
  const { screen } = tested({})
  expect([screen.columns, screen.rows]).toEqual([80, 24])
  expect(tested({ columns: 0, rows: 0 }).screen.columns).toBe(80)
  expect(tested({ columns: 200, rows: 50 }).screen).toMatchObject({ columns: 200, rows: 50 })
})

test('of a terminal that claims an impossible size only a part is used', () => {
  const { screen, take } = tested({ columns: 65_535, rows: 65_535 })
  expect([screen.columns, screen.rows]).toEqual([1_000, 500])
  screen.enter()
  screen.write('line\n'.repeat(1_000))
  const painted = take()
  expect(painted).toContain('^[500;1H')
  expect(painted).not.toContain('^[501;1H')
})
