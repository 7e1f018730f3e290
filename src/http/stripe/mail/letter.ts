import type { Draft } from './mail.ts'

/** Writes the text of a mail. Each link is on a line of its own. */
export const letter = (
  { name, paragraphs, links }: Pick<Draft, 'name' | 'paragraphs' | 'links'>,
  merchant: string,
): string =>
  [
    name === null ? 'Hello,' : `Hello ${name},`,
    ...paragraphs,
    ...links.map((link) => `${link.name}:\n${link.url}`),
    merchant,
  ].join('\n\n')
