/**
 * The prefixes of all secrets: API keys, secrets of apps, codes and tokens (`sk_test_`, `oat_test_`), secrets of
 * webhook endpoints (`whsec_`), of intents (`pi_…_secret_`, `seti_…_secret_`) and of portal sessions (`bps_…_secret_`). Add the prefix of a new kind of secret here, and it is
 * masked everywhere.
 */
const PREFIX = '(?:[a-z]{2,3}_(?:test|live)_|whsec_|[a-z]{2,4}_[A-Za-z0-9]+_secret_)'
/** Letters and digits, base64, and their encoded forms. */
const SUFFIX = String.raw`[\w+/=%-]+`
/** A position where a word may begin: after anything but a letter or digit, or after an escape of JSON or of a URL. */
const WORD_START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2}))`

/** A suffix that is long enough to be secret within a word too, as in `mywhsec_…`; `risk_test_1` is not a secret. */
const LONG_SUFFIX = String.raw`[\w+/=%-]{8,}`

const ANYWHERE = new RegExp(PREFIX + SUFFIX)
const WORDS = new RegExp(`${WORD_START}(${PREFIX})${SUFFIX}|(${PREFIX})${LONG_SUFFIX}`, 'g')
/** Characters that may be part of a percent-encoded text, and an escape of JSON before them, which must stay whole. */
const RUNS = /(\\(?:u[0-9A-Fa-f]{4}|[bfnrt]))?([\w+/=%.~-]+)/g

/** Reports whether a text contains what looks like a secret, also within a word. */
export const holdsSecret = (text: string): boolean => ANYWHERE.test(text)

/**
 * Replaces the suffix of each secret in a text with `…`. The prefix stays, so that the kind is still visible, unless
 * the secret is percent-encoded.
 */
export const maskSecrets = (text: string): string =>
  text
    .replace(WORDS, (_, atStart = '', within = '') => `${atStart}${within}…`)
    .replace(RUNS, (all, kept = '', run) =>
      run.includes('%') && holdsSecret(percentDecoded(all)) ? `${kept}…` : all,
    )

/** Decodes the ASCII characters of a text that is percent-encoded up to three times. Invalid encodings are kept. */
export function percentDecoded(text: string, times = 3): string {
  if (times === 0 || !text.includes('%')) return text
  const decoded = text.replace(/%[0-7][0-9A-Fa-f]/g, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  )
  return percentDecoded(decoded, times - 1)
}

/**
 * Builds a pattern that finds a word as it is, in JSON and in JSON within JSON, each percent-encoded in part or up to three times.
 * The longer forms come first, so that no part of an escape is left.
 */
export function patternOfSecret(word: string): RegExp {
  const json = jsonOf(word)
  const forms = new Set([jsonOf(json), json, word])
  return new RegExp([...forms].map((form) => [...form].map(formsOf).join('')).join('|'), 'g')
}

const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1)

function formsOf(character: string): string {
  const encoded =
    character.charCodeAt(0) < 128
      ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      : encodeURIComponent(character)
  const percent = encoded
    .toLowerCase()
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
    .replaceAll('%', '%(?:25){0,2}')
  return `(?:${character.replace(/[^\w]/, String.raw`\$&`)}|${percent})`
}
