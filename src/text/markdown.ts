/**
 * Converts an API description to Markdown. Literal input (`--json`, `trial_end`, 'invoice.*') becomes
 * code, and the rest is escaped. Text between backticks stays as it is.
 */
export const asMarkdown = (text: string): string =>
  text
    .split(/(`[^`]*`|(?<=^|[\s(])'[^']+'(?=$|[\s.,;:)]))/)
    .map((part, index) =>
      index % 2 === 1 ? asCode(part.slice(1, -1)) : part.replaceAll(/\S+/g, wordAsMarkdown),
    )
    .join('')

/** Formats a text as code between as many backticks as its content requires. */
export function asCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`
}

/** Formats a text as a code block. */
export const asBlock = (text: string, language = 'text'): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Returns the anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Links to a heading of the same document. @param text - Markdown */
export const linkTo = (heading: string, text: string): string => `[${text}](#${anchorOf(heading)})`

function wordAsMarkdown(word: string): string {
  const [, before = '', core = '', after = ''] = /^([("]*)(.*?)([.,;:)"]*)$/.exec(word) ?? []
  if (CODE.some((pattern) => pattern.test(core))) return `${before}${asCode(core)}${after}`
  return word.replaceAll(/[\\*<[\]]/g, (character) => `\\${character}`)
}

/** Patterns of words that are code rather than prose. */
const CODE: readonly RegExp[] = [
  // Options, and names with underscores or brackets: --url, -n, trial_end, sk_test_…, items[0][price], expand[].
  /^--?[a-z][a-z-]*$/,
  /\w_|\w\[/,
  // Globs, paths and addresses: invoice.*, /v1/customers, http://127.0.0.1:4242, .paytwin
  /\*|^\/\w|^https?:\/\/|^\.[a-z]/,
  // Types of events, and files: customer.created, fixtures/schema.json
  /^[a-z]+(\/[a-z]+)*\.[a-z]+$/,
  // Names of headers: Idempotency-Key, X-API-Version.
  /^(?!Ctrl-)[A-Z][A-Za-z]*(-[A-Z][A-Za-z]*)+$/,
  // Durations and instants: 36h, 1mo, P1M, 2026-02-28T10:00:00Z.
  /^\d+(s|m|h|d|w|mo|y)$|^P\d+[A-Z]$|^\d{4}-\d{2}-\d{2}T/,
]
