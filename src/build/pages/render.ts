import { html } from 'hono/html'
import { Marked, type Token } from 'marked'
import { anchorOf } from '../../text/markdown.ts'

/** The maximum number of lines of a titled code block that is shown open. */
const SHORT_LINES = 16

export type RenderOptions = {
  /** The level of Markdown heading that becomes h1. */
  readonly top: number
  /** Returns the path that a link to a heading leads to; undefined if there is none. */
  readonly pathOf: (anchor: string) => string | undefined
}

/**
 * Renders Markdown as HTML, with a section for each heading below the top level. HTML in the Markdown is shown as text.
 * @throws {Error} for a link that leads nowhere
 */
export function render(markdown: string, { top, pathOf }: RenderOptions): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const level = depth - top + 1
        const id = level > 2 ? ` id="${anchorOf(text)}"` : ''
        return `<h${level}${id}>${this.parser.parseInline(tokens)}</h${level}>\n`
      },
      code({ text, lang = '' }) {
        return codeBlock(text, lang.split(' ').slice(1).join(' '))
      },
      codespan({ text }) {
        return `<code>${routeName(text)}</code>`
      },
      link({ href, tokens }) {
        const target = href.startsWith('#') ? pathOf(href.slice(1)) : href
        if (!target?.startsWith('/')) throw new Error(`the link ${href} leads nowhere`)
        return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ raw }) {
        return escapeHtml(raw)
      },
      html({ text }) {
        return escapeHtml(text)
      },
    },
  })
  return sectionsOf(marked.lexer(markdown), top + 1)
    .map((tokens) => {
      const anchor = headingIn(tokens, top + 1)
      const body = marked.parser(tokens)
      return anchor === undefined ? body : `<section id="${anchor}">\n${body}</section>\n`
    })
    .join('')
}

/** Splits tokens before each heading of a level. */
function sectionsOf(tokens: readonly Token[], level: number): Token[][] {
  const sections: Token[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === level) sections.push([])
    sections.at(-1)?.push(token)
  }
  return sections
}

/** Returns the anchor of the heading that a section begins with. */
function headingIn([first]: readonly Token[], level: number): string | undefined {
  return first?.type === 'heading' && first.depth === level ? anchorOf(first.text) : undefined
}

/** Renders code. A block with a title can be collapsed. */
function codeBlock(text: string, title: string): string {
  const block = `<pre>${escapeHtml(text)}</pre>`
  if (title === '') return `${block}\n`
  const open = text.split('\n').length <= SHORT_LINES ? ' open' : ''
  return `<details${open}><summary>${escapeHtml(title)}</summary>${block}</details>\n`
}

/** Marks the method of a route, and allows a line break before each slash of its path. Other code is only escaped. */
function routeName(text: string): string {
  const [, method, path = ''] = /^(GET|POST|DELETE) (\/.*)$/.exec(text) ?? []
  if (method === undefined) return escapeHtml(text)
  const steps = path.split(/(?<=.)(?=\/)/).map(escapeHtml)
  return `<span class="method ${method.toLowerCase()}">${method}</span> ${steps.join('<wbr>')}`
}

/** Escapes a text for HTML and its attributes. */
const escapeHtml = (text: string): string => String(html`${text}`)
