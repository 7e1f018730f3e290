/**
 * How everything begins that opens something: API keys, secrets of apps, codes and tokens (`sk_test_`, `oat_test_`), secrets
 * of webhook endpoints (`whsec_`) and of intents (`pi_…_secret_`). A kind of secret that begins otherwise is added here, and
 * is hidden everywhere from then on.
 */
const BEGINNING = '(?:[a-z]{2,3}_(?:test|live)_|whsec_|[a-z]{2}_[A-Za-z0-9]+_secret_)'
/** Letters and digits, base64, and what an encoding makes of that. */
const REST = String.raw`[\w+/=%-]+`
/** Where a word may begin: behind whatever is no letter or digit, and behind an escape of JSON or of a url, which ends in one. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2}))`

/** A rest that is long enough to open something, also within a word, as in `mywhsec_…`; `risk_test_1` is no secret. */
const LONG_REST = String.raw`[\w+/=%-]{8,}`

const ANYWHERE = new RegExp(BEGINNING + REST)
const WORDS = new RegExp(`${START}(${BEGINNING})${REST}|(${BEGINNING})${LONG_REST}`, 'g')
/** What may be percent-encoded. */
const RUNS = /[\w+/=%.~-]+/g

/** Whether a text holds what looks like a secret, be it in the middle of a word. */
export const holdsSecret = (text: string): boolean => ANYWHERE.test(text)

/**
 * A text with a `…` for the rest of each secret. How it begins stays, by which a reader can still tell what it was, unless that
 * is percent-encoded.
 */
export const maskSecrets = (text: string): string =>
  text
    .replace(WORDS, (_, atStart = '', within = '') => `${atStart}${within}…`)
    .replace(RUNS, (run) => (run.includes('%') && holdsSecret(percentDecoded(run)) ? '…' : run))

/** Decodes the ASCII characters of a text that is percent-encoded up to three times. What is encoded badly stays as it is. */
export function percentDecoded(text: string, times = 3): string {
  if (times === 0 || !text.includes('%')) return text
  const decoded = text.replace(/%[0-7][0-9A-Fa-f]/g, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  )
  return percentDecoded(decoded, times - 1)
}

/** A pattern that finds a word in JSON texts: in one, in one within another, and percent-encoded up to three times, each character by itself. */
export const patternOf = (word: string): RegExp => new RegExp([...word].map(formsOf).join(''), 'g')

function formsOf(character: string): string {
  const encoded =
    character.charCodeAt(0) < 128
      ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      : encodeURIComponent(character)
  const percent = encoded
    .toLowerCase()
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
    .replaceAll('%', '%(?:25){0,2}')
  return `(?:${plainForms(character)}|${percent})`
}

/** JSON within JSON escapes twice. Escapes are matched whole, so that what is left stays JSON. */
function plainForms(character: string): string {
  if (character === '\\') return String.raw`(?:\\\\){1,2}`
  if (character === '"') return String.raw`(?:\\\\)?\\"`
  return character.replace(/[^\w]/, String.raw`\$&`)
}
