const ESCAPE = '\u001b'
/** The part of a control sequence before its final character: ECMA-48, and `[[` of Linux's console. */
const INTRODUCTION = `${ESCAPE}(?:O|\\[\\[?)[0-?]*[ -/]*`
const KEY = new RegExp(`${INTRODUCTION}[@-~]|[^]`, 'gu')
const UNFINISHED = new RegExp(`(?:${INTRODUCTION}|${ESCAPE})$`, 'u')
/** A sequence of a key: its number, the modifiers, and the final character. Without a tilde the number has no meaning. */
const SEQUENCE = new RegExp(`^${ESCAPE}(?:O|\\[\\[?)(\\d*)(?:;\\d+)?([A-Z~])$`, 'u')

/** The keys that terminals send as sequences, and that the UI uses. */
const NAMES: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  F: 'end',
  H: 'home',
  '1~': 'home',
  '3~': 'backspace',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '7~': 'home',
  '8~': 'end',
}

/** How long the rest of a sequence may take, in milliseconds: then Escape was a key of its own. */
const SEQUENCE_MS = 50

/** The part of a terminal that sends keys. */
type TerminalInput = Pick<NodeJS.ReadStream, 'setEncoding' | 'setRawMode' | 'on' | 'off' | 'pause'>

/**
 * Reads the keys of a terminal in raw mode. Ink is not used for it: it throws at keys that it does not know, such as Ctrl-F1,
 * or takes the characters of their sequences for typed ones.
 * @param onKey - called with the name of each pressed key
 * @returns stops reading, and ends the raw mode
 */
export function readKeys(terminal: TerminalInput, onKey: (name: string) => void): () => void {
  let unfinished = ''
  let flush: NodeJS.Timeout | undefined
  const typed = (text: string) => {
    for (const name of keyNames(text)) onKey(name)
  }
  const read = (chunk: string) => {
    clearTimeout(flush)
    const text = unfinished + chunk
    unfinished = UNFINISHED.exec(text)?.[0] ?? ''
    typed(text.slice(0, text.length - unfinished.length))
    if (unfinished === '') return
    flush = setTimeout(() => {
      typed(unfinished)
      unfinished = ''
    }, SEQUENCE_MS)
  }
  terminal.setEncoding('utf8')
  terminal.setRawMode(true)
  terminal.on('data', read)
  return () => {
    clearTimeout(flush)
    terminal.off('data', read)
    terminal.pause()
    terminal.setRawMode(false)
  }
}

/**
 * Returns the names of the pressed keys. One text may contain several, pasted or typed during a delay. Modifiers of
 * sequences have no meaning here, and unknown sequences are no keys. Alt with a key is Escape and the key.
 */
export function keyNames(text: string): string[] {
  return (text.match(KEY) ?? []).flatMap((key) =>
    key.startsWith(ESCAPE) && key !== ESCAPE ? sequenceName(key) : nameOf(key),
  )
}

function sequenceName(sequence: string): string[] {
  const [, number, final] = SEQUENCE.exec(sequence) ?? []
  const name = final && NAMES[final === '~' ? `${number}~` : final]
  return name ? [name] : []
}

function nameOf(character: string): string {
  if (character === '\r' || character === '\n') return 'enter'
  if (character === '\t') return 'tab'
  if (character === ESCAPE) return 'escape'
  if (character === '\u007f' || character === '\b') return 'backspace'
  // Ctrl with a letter sends the letter's position in the alphabet.
  return character < ' ' ? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` : character
}
