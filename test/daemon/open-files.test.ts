import { expect, test } from 'vitest'
import { connectionsWithin, openFilesIn } from '../../src/daemon/open-files.ts'

const limits = (
  files: string,
) => `Limit                     Soft Limit           Hard Limit           Units     
Max processes             63432                63432                processes 
Max open files            ${files.padEnd(20)} 524288               files     
Max locked memory         8388608              8388608              bytes     
`

test.each([
  ['256', 128],
  ['800', 400],
  ['1024', 624],
  ['4096', 3_696],
  ['4400', 4_000],
  ['1048576', 4_000],
  ['unlimited', 4_000],
])('a process that may open %s files has at most %i connections', (files, connections) => {
  expect(connectionsWithin(openFilesIn(limits(files)), 4_000)).toBe(connections)
})

test('without a known limit, no files are kept in reserve', () => {
  expect(connectionsWithin(Number.POSITIVE_INFINITY, 4_000)).toBe(4_000)
})
