import type { Key } from 'ink'

/** What Ink tells of keys that are no characters. */
const NAMED: readonly (readonly [flag: keyof Key, name: string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
  ['tab', 'tab'],
]

/**
 * The names of the keys that were pressed. One input may hold several: what is pasted, or typed while the line lagged; an
 * Escape right before a character reaches us as Alt, which means nothing here.
 */
export function keyNames(input: string, key: Key): string[] {
  const named = NAMED.find(([flag]) => key[flag])
  if (named) return [named[1]]
  if (key.ctrl) return [`ctrl-${input}`]
  const names = [...input].map(nameOf)
  return key.meta ? ['escape', ...names] : names
}

function nameOf(character: string): string {
  if (character === '\r' || character === '\n') return 'enter'
  if (character === '\u001b') return 'escape'
  if (character === '\u007f' || character === '\b') return 'backspace'
  // Ctrl and a letter send the letter's place in the alphabet.
  return character < ' ' ? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` : character
}
