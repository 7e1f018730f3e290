import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a document. */
export const documentText = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../docs', name), 'utf8')

/** The anchors that GitHub makes of a document's headings, in their order. */
export const anchorsIn = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.heading ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )

/** Finds links to headings that do not exist in the document. */
export function deadLinksIn(text: string): string[] {
  const anchors = new Set(anchorsIn(text))
  const links = [...withoutBlocks(text).matchAll(/\]\(#(?<anchor>[^)]*)\)/g)].map(
    ({ groups }) => groups?.anchor ?? '',
  )
  return links.filter((anchor) => !anchors.has(anchor))
}

const withoutBlocks = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '')

/** Returns the text below a heading, up to the next heading of any level. @throws {Error} if there is no such heading */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'))
  if (start === -1) throw new Error(`there is no heading '${heading}'`)
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'))
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n')
}
