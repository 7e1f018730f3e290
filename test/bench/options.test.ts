import { describe, expect, test } from 'vitest'
import { benchOptions } from './options.ts'
import { PARTS } from './parts.ts'

const KNOWN = ['start', 'advance', 'year']

describe('the command line of the bench', () => {
  test.each([
    [[], { parts: [], rounds: 3, size: undefined, json: false, help: false }],
    [['start', 'advance'], { parts: ['start', 'advance'] }],
    [['--rounds', '5', 'year', '--size', '1000'], { parts: ['year'], rounds: 5, size: 1_000 }],
    [['--json'], { json: true }],
    [['-h'], { help: true }],
  ])('%j is understood', (args, wanted) => {
    expect(benchOptions(args, KNOWN)).toMatchObject(wanted)
  })

  test.each([
    [['begin'], "There is no part 'begin'. The parts are start, advance, year."],
    [['start', 'begin'], "There is no part 'begin'. The parts are start, advance, year."],
    [['--rounds', '0'], "--rounds takes a whole number from 1, not '0'."],
    [['--rounds', 'many'], "--rounds takes a whole number from 1, not 'many'."],
    [['--size', '1e6'], "--size takes a whole number from 1, not '1e6'."],
    [['--round', '3'], "Unknown option '--round'"],
  ])('%j is refused', (args, why) => {
    expect(() => benchOptions(args, KNOWN)).toThrow(why)
  })

  test('every part has a unique name', () => {
    const names = PARTS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
