/**
 * How everything begins that opens something: API keys, secrets of apps, codes and tokens (`sk_test_`, `oat_test_`), secrets
 * of webhook endpoints (`whsec_`) and of intents (`pi_…_secret_`). A kind of secret that begins otherwise is added here, and
 * is hidden everywhere from then on.
 * Source: decisions.md 8, 9, 10, 13.
 */
const BEGINNING = '(?:[a-z]{2,3}_(?:test|live)_|whsec_|[a-z]{2}_[A-Za-z0-9]+_secret_)'
/** Letters and digits, base64, and what an encoding makes of that. */
const REST = String.raw`[\w+/=%-]+`
/** Where a word may begin: behind whatever is no letter or digit, and behind an escape of JSON or of a url, which ends in one. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2}))`

const ANYWHERE = new RegExp(BEGINNING + REST)
const WORDS = new RegExp(`${START}(${BEGINNING})${REST}`, 'g')

/** Whether a text holds what looks like a secret, be it in the middle of a word. */
export const holdsSecret = (text: string): boolean => ANYWHERE.test(text)

/** A text with a `…` for the rest of each secret. How it begins stays, by which a reader can still tell what it was. */
export const maskSecrets = (text: string): string => text.replace(WORDS, '$1…')
