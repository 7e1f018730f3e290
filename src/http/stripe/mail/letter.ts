import type { Draft } from './mail.ts'

/** Writes the text of a mail. Each link is on a line of its own. */
export const letter = (
  { name, paragraphs, links }: Pick<Draft, 'name' | 'paragraphs' | 'links'>,
  merchant: string,
): string =>
  [
    onOneLine(name === null ? 'Hello,' : `Hello ${name},`),
    ...paragraphs.map(onOneLine),
    ...links.map((link) => `${link.name}:\n${link.url}`),
    onOneLine(merchant),
  ].join('\n\n')

/** Replaces line breaks, so that a name does not look like further lines of the mail. */
const onOneLine = (text: string): string => text.replaceAll(/[\s\u0085]+/g, ' ')
