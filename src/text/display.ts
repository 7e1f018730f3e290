/** Characters that control a terminal or reorder a line. */
export const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/**
 * Makes untrusted text a single safe line: control characters are written as escapes such as `\u001b`.
 * See docs/contract/command-line.md#output.
 */
export const escapeControls = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Makes untrusted text of several lines safe, line by line. */
export const escapeControlsByLine = (text: string): string => text.split('\n').map(escapeControls).join('\n')

/** Formats a value as JSON that is safe to print. The escapes are valid JSON, so the value is the same. */
export const toJson = (value: unknown, indent = 0): string =>
  escapeControlsByLine(JSON.stringify(value, null, indent))

/** paytwin: the maximum nesting of JSON that is indented. Indents grow with the square of it. */
const MAX_INDENTED_LEVELS = 64

/** Indents a text if it is JSON. A text that is not, was cut, or is nested too deeply stays as it is, but safe to print. */
export function indentedJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return hasMoreLevels(value, MAX_INDENTED_LEVELS) ? escapeControlsByLine(text) : toJson(value, 2)
  } catch (error) {
    if (error instanceof SyntaxError) return escapeControlsByLine(text)
    throw error
  }
}

/** Whether a value has objects or arrays below a number of levels. It looks no deeper, so that deep nesting does no harm. */
export const hasMoreLevels = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => hasMoreLevels(each, levels - 1)))

/** Cuts a text to a number of characters and adds how many are left out. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${thousands(text.length - most)} more characters)`

/** Formats a count with its noun: `1 job`, `2 jobs`, `12,345 jobs`. */
export const counted = (count: number, noun: string): string =>
  `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`

export const thousands = (count: number): string => Math.round(count).toLocaleString('en-US')

/** Formats a duration by its two largest units: `3 d 4 h`, `2 min 5 s`, `0 s`. */
export function formatSpan(seconds: number): string {
  const parts: string[] = []
  let rest = Math.max(0, Math.round(seconds))
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(rest / size)
    rest %= size
    if (amount > 0) parts.push(`${amount} ${unit}`)
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Returns the first sentence of a text, up to a period or semicolon, for one line of a list. */
export const firstSentence = (text: string): string => text.split(/[.;](?:\s|$)/)[0] ?? ''
