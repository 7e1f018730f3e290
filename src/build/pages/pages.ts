import { readFileSync } from 'node:fs'
import { marked } from 'marked'
import type { Documentation } from '../../http/admin/services.ts'
import { THEME } from '../../http/html/theme.ts'
import { anchorOf, asBlock } from '../../text/markdown.ts'
import type { Reference, Resource } from '../reference/reference.ts'
import { contractPages } from './contract.ts'
import { layout } from './layout.ts'
import { render } from './render.ts'

/** The Markdown of a page. */
type Source = {
  readonly path: string
  readonly title: string
  readonly text: string
  /** The level of the page's first heading. */
  readonly top: number
}

/** Makes the pages at /docs and their files from the reference and the contract, and adds the files of the dashboard, by path. @param url - the URL of the daemon */
export function pagesOf(reference: Reference, url: string): Documentation {
  const merchants = resourcesOf(reference, { isOperators: false })
  const operator = resourcesOf(reference, { isOperators: true })
  const start: Source = {
    path: '/docs',
    title: 'How to call it',
    text: [beginning(url), reference.conventions, reference.eventTypes].join('\n\n'),
    top: 1,
  }
  const errors: Source = { path: '/docs/errors', title: 'Errors', text: reference.errors, top: 2 }
  const sources = [start, errors, ...merchants.map(sourceOf), ...operator.map(sourceOf)]
  const headings = sources.flatMap(headingsOf)
  const paths = new Map(headings.map(({ anchor, path }) => [anchor, path]))
  const contract = contractPages((anchor) => paths.has(anchor)).map((page): Source => ({ ...page, top: 1 }))
  const groups = {
    start: [start, errors, { path: '/openapi.json', title: 'OpenAPI document' }],
    merchants: merchants.map(sourceOf),
    operator: operator.map(sourceOf),
    contract,
  }
  const rendered = (text: string, top: number) => render(text, { top, pathOf: (anchor) => paths.get(anchor) })
  const lists = `<h2>For merchants</h2>
${rendered(contents(merchants), 1)}<details><summary><h2>For the operator</h2></summary>
${rendered(`${OPERATOR}\n\n${contents(operator)}`, 1)}</details>
`
  const pages = [...sources, ...contract].map((source) => {
    const body = rendered(source.text, source.top)
    // The lists of pages come before the first section.
    const whole = source === start ? body.replace('<section', () => `${lists}<section`) : body
    return [source.path, layout(source, whole, groups)] as const
  })
  const entries = [...headings, ...contract.flatMap(headingsOf)].map(({ title, path, page, names }) => [
    title,
    path,
    page,
    names.join(' '),
  ])
  return {
    ...Object.fromEntries(pages),
    '/dashboard/style.css': `${THEME}\n${readFileSync('src/dashboard/style.css', 'utf8')}`,
    '/dashboard/script.js': readFileSync('src/dashboard/script.js', 'utf8'),
    '/dashboard/live.js': readFileSync('src/dashboard/live.js', 'utf8'),
    '/docs/style.css': fileText('style.css'),
    '/docs/favicon.svg': fileText('favicon.svg'),
    '/docs/search.js': `const ENTRIES = ${JSON.stringify(entries)}\n${fileText('search.js')}`,
  }
}

/** Reads a file of the pages. The build and the tests run in the project's folder. */
const fileText = (name: string): string => readFileSync(`src/build/pages/${name}`, 'utf8')

const beginning = (url: string): string => `# paytwin

A sandbox of a payments and recurring-billing service, with a clock that you control.

${asBlock(`export PAYTWIN_SECRET_KEY=sk_test_…\ncurl ${url}/v1/customers \\\n  -u "$PAYTWIN_SECRET_KEY:" \\\n  -d email=ada@example.com`, 'sh')}

The same as an OpenAPI document: [/openapi.json](/openapi.json).`

const OPERATOR = 'These routes need the admin token of the daemon, as `Authorization: Bearer`.'

const resourcesOf = ({ chapters }: Reference, { isOperators }: { isOperators: boolean }): Resource[] =>
  chapters.filter((chapter) => chapter.isOperators === isOperators).flatMap(({ resources }) => resources)

const contents = (resources: readonly Resource[]): string =>
  resources.map((resource) => `- ${resource.contents}`).join('\n')

const sourceOf = ({ name, title, text }: Resource): Source => ({ path: `/docs/${name}`, title, text, top: 3 })

type Heading = {
  readonly anchor: string
  /** The path of the page with the anchor. The first heading of a page has none. */
  readonly path: string
  readonly title: string
  /** The title of the page. */
  readonly page: string
  /** The names of the fields and parameters below the heading. */
  readonly names: readonly string[]
}

/** Finds the headings of a page, for links and for the search. */
function headingsOf({ path, title, text, top }: Source): Heading[] {
  const headings: (Heading & { names: string[] })[] = []
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading') {
      const anchor = anchorOf(token.text)
      const isFirst = token.depth === top
      const own = isFirst ? path : `${path}#${anchor}`
      headings.push({ anchor, path: own, title: token.text.replaceAll('`', ''), page: title, names: [] })
    }
    const names = [...token.raw.matchAll(/^ *- `([^`]+)` \(/gm)].map(([, name = '']) => name)
    headings.at(-1)?.names.push(...new Set(names))
  }
  return headings
}
