import type { Key } from 'ink'
import { expect, test } from 'vitest'
import { keyNames } from '../../src/ui/key-names.ts'

const key = (flags: Partial<Key>) => flags as Key

test.each<[what: string, input: string, flags: Partial<Key>, names: string[]]>([
  ['a character', 'j', {}, ['j']],
  ['a capital', 'G', { shift: true }, ['G']],
  ['a character of two halves', '👩', {}, ['👩']],
  ['an arrow', '', { upArrow: true }, ['up']],
  ['Page Down', '', { pageDown: true }, ['pagedown']],
  ['Enter', '\r', { return: true }, ['enter']],
  ['Escape, which Ink takes for Meta too', '', { escape: true, meta: true }, ['escape']],
  ['Backspace, which most terminals send as Delete', '', { delete: true }, ['backspace']],
  ['Ctrl-C', 'c', { ctrl: true }, ['ctrl-c']],
  ['several that came at once', 'jj/x', {}, ['j', 'j', '/', 'x']],
  ['a word with its Enter', 'ab\r', {}, ['a', 'b', 'enter']],
  ['what is typed right before Ctrl-C', 'ab\u0003', {}, ['a', 'b', 'ctrl-c']],
  ['corrections in what came at once', 'a\u007fb', {}, ['a', 'backspace', 'b']],
  ['Escape and a character that came at once', 'q', { meta: true }, ['escape', 'q']],
  ['a key that means nothing', '', {}, []],
])('%s', (_what, input, flags, names) => {
  expect(keyNames(input, key(flags))).toEqual(names)
})
