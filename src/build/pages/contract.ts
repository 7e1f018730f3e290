import { readdirSync, readFileSync } from 'node:fs'
import { asCode } from '../../text/markdown.ts'

/** A page of the contract. */
export type ContractPage = { readonly path: string; readonly title: string; readonly text: string }

const FOLDER = 'docs/contract'

/**
 * Reads the pages of the contract, with links to the pages that the daemon serves. Links to other documents become plain text.
 * The build and the tests run in the project's folder.
 * @param isOnPage - whether a heading of api.md is on a page of the reference; links to other headings lead to the first page
 */
export const contractPages = (isOnPage: (anchor: string) => boolean): ContractPage[] =>
  readdirSync(FOLDER)
    .toSorted(byName)
    .map((file) => {
      const text = readFileSync(`${FOLDER}/${file}`, 'utf8')
      return {
        path: pathOf(file),
        title: /^# (.*)$/m.exec(text)?.[1] ?? file,
        text: withOwnLinks(file, text, isOnPage),
      }
    })

/** The path of a page: `/docs/contract-invoices`; that of the list of all pages is `/docs/contract`. */
const pathOf = (file: string): string =>
  file === 'README.md' ? '/docs/contract' : `/docs/contract-${file.replace('.md', '')}`

const byName = (left: string, right: string): number => (pathOf(left) < pathOf(right) ? -1 : 1)

/** Links to api.md become links to headings of the reference, and a bare address becomes code. */
const withOwnLinks = (file: string, text: string, isOnPage: (anchor: string) => boolean): string =>
  text
    .replaceAll(/(?<=^\s*|\s)https?:\/\/[^\s`)]*[^\s`).,]/gm, (address) => asCode(address))
    .replaceAll(/\[([^\]]*)\]\(([^)#]*)(#[^)]*)?\)/g, (_, words: string, to: string, heading = '') => {
      if (to === '../api.md') return `[${words}](${isOnPage(heading.slice(1)) ? heading : '/docs'})`
      if (to.startsWith('../') || to.includes(':')) return words
      return `[${words}](${pathOf(to === '' ? file : to)}${heading})`
    })
