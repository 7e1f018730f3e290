import type { Key } from 'ink'

/** Ink's flags for keys that are not characters. */
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
 * Returns the names of the pressed keys. One input may contain several keys, pasted or typed during a delay. Ink reports an
 * Escape right before a character as Alt, which no key uses here.
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
  // Ctrl with a letter sends the letter's position in the alphabet.
  return character < ' ' ? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` : character
}
