import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { keyNames, readKeys } from '../../src/ui/keyboard.ts'

describe('the keys in a text', () => {
  test.each<[what: string, text: string, names: string[]]>([
    ['a character', 'j', ['j']],
    ['a capital', 'G', ['G']],
    ['a character of two halves', '👩', ['👩']],
    ['a wide character', '日', ['日']],
    ['an arrow', '\u001b[A', ['up']],
    ['an arrow in application mode', '\u001bOB', ['down']],
    ['an arrow with Ctrl', '\u001b[1;5A', ['up']],
    ['Page Up', '\u001b[5~', ['pageup']],
    ['Page Down', '\u001b[6~', ['pagedown']],
    ['Page Down with Shift', '\u001b[6;2~', ['pagedown']],
    ['Page Up of PuTTY', '\u001b[[5~', ['pageup']],
    ['Home', '\u001b[H', ['home']],
    ['Home of a console', '\u001b[1~', ['home']],
    ['End', '\u001bOF', ['end']],
    ['Enter', '\r', ['enter']],
    ['Escape', '\u001b', ['escape']],
    ['Tab', '\t', ['tab']],
    ['Backspace, which most terminals send as Delete', '\u007f', ['backspace']],
    ['Delete', '\u001b[3~', ['backspace']],
    ['Ctrl-C', '\u0003', ['ctrl-c']],
    ['Ctrl-L', '\u000c', ['ctrl-l']],
    ['several that came at once', 'jj/x', ['j', 'j', '/', 'x']],
    ['a word with its Enter', 'ab\r', ['a', 'b', 'enter']],
    ['what is typed right before Ctrl-C', 'ab\u0003', ['a', 'b', 'ctrl-c']],
    ['corrections in what came at once', 'a\u007fb', ['a', 'backspace', 'b']],
    ['characters around an arrow', 'a\u001b[Bb', ['a', 'down', 'b']],
    ['Escape and a character that came at once', '\u001bq', ['escape', 'q']],
    ['Escape and an arrow that came at once', '\u001b\u001b[A', ['escape', 'up']],
    ['an answer of the terminal', '\u001b[?1;2c\u001b[24;80R', []],
    ['a click', '\u001b[<0;10;10M', []],
  ])('%s', (_what, text, names) => {
    expect(keyNames(text)).toEqual(names)
  })

  test('a sequence is the same key with all modifiers, or none', () => {
    const letters = [...Array(26).keys()].flatMap((n) => [
      String.fromCharCode(65 + n),
      String.fromCharCode(97 + n),
    ])
    const keys = [
      ...letters.flatMap((letter) => modified(`\u001b[1;%${letter}`)),
      ...[...Array(40).keys()].flatMap((number) => modified(`\u001b[${number};%~`)),
    ]
    expect(keys).toHaveLength((52 + 40) * 16)
    expect(new Set(keys.flatMap(keyNames))).toEqual(
      new Set(['up', 'down', 'home', 'end', 'backspace', 'pageup', 'pagedown']),
    )
    // Each is one key, so a character after it is still one.
    for (const key of keys) expect(keyNames(`${key}x`).slice(-2).join(' ')).toMatch(/^([a-z]+ )?x$/)
  })
})

const modified = (sequence: string): string[] =>
  [...Array(16).keys()].map((modifiers) => sequence.replace('%', String(modifiers + 1)))

describe('what a terminal sends', () => {
  function terminal() {
    const keys: string[] = []
    const modes: boolean[] = []
    const input = Object.assign(new PassThrough(), {
      setRawMode: (isRaw: boolean) => modes.push(isRaw),
    }) as unknown as NodeJS.ReadStream & PassThrough
    const stop = readKeys(input, (key) => keys.push(key))
    const send = async (...chunks: string[]) => {
      for (const chunk of chunks) {
        input.write(chunk)
        await new Promise(setImmediate)
        await new Promise(setImmediate)
      }
    }
    return { keys, modes, send, stop }
  }

  test('arrives in raw mode, until reading stops', async () => {
    const { keys, modes, send, stop } = terminal()
    await send('j', 'k\u001b[A')
    expect(modes).toEqual([true])
    stop()
    await send('x')
    expect(modes).toEqual([true, false])
    expect(keys).toEqual(['j', 'k', 'up'])
  })

  test('can arrive in parts', async () => {
    const { keys, send } = terminal()
    await send('a\u001b[', '1;', '5', 'Pb\u001b[1;5', 'Ac\u001bO', 'Bd')
    expect(keys).toEqual(['a', 'b', 'up', 'c', 'down', 'd'])
  })

  test.each([
    ['\u001b', ['escape']],
    ['\u001b[', ['escape', '[']],
    ['\u001bO', ['escape', 'O']],
  ])('%j is no sequence if nothing follows', async (begun, names) => {
    const { keys, send } = terminal()
    await send(begun)
    await expect.poll(() => keys).toEqual(names)
    await send('A')
    expect(keys).toEqual([...names, 'A'])
  })
})
