/** Sends a request, and returns its response without following a redirect. */
type Send = (url: string, init: RequestInit) => Response | Promise<Response>

/** A page as a browser without script shows it. */
export type Page = {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** The readable text, with single spaces. */
  readonly text: string
  /** The text of the element with the role alert; null for none. */
  readonly alert: string | null
  /** The address of a redirect; null for none. */
  readonly location: string | null
}

type Fields = Readonly<Record<string, string>>
type Attributes = Readonly<Record<string, string>>
type Tag = ReturnType<typeof tagsIn>[number]

async function load(send: Send, url: string, init: RequestInit = {}): Promise<Page> {
  const headers = { host: new URL(url).host, ...init.headers }
  const response = await send(url, { redirect: 'manual', ...init, headers })
  const html = await response.text()
  const alert = / role="alert">(.*?)<\/p>/s.exec(html)?.[1]
  return {
    url,
    status: response.status,
    headers: response.headers,
    html,
    text: textOf(html.replace(/^.*<body>/s, '')),
    alert: alert === undefined ? null : textOf(alert),
    location: response.headers.get('location'),
  }
}

/** Opens a page, and follows its redirects within its origin. A page that redirects elsewhere keeps its `location`. */
async function loadFollowing(send: Send, url: string, init: RequestInit = {}): Promise<Page> {
  const page = await load(send, url, init)
  const next = nextOf(page)
  return next?.origin === new URL(url).origin ? loadFollowing(send, next.href) : page
}

const nextOf = ({ location, url }: Page): URL | null => (location === null ? null : new URL(location, url))

/** Returns the token of the form of a page; empty if it has none. */
export const tokenIn = (html: string): string => / name="token" value="([^"]*)"/.exec(html)?.[1] ?? ''

/** A form that is sent. */
export type Submission = { readonly url: string; readonly isPost: boolean; readonly fields: Fields }

/**
 * Returns what a form sends: the values of its fields, and of the button with a name, or whose name begins with it or contains it. A
 * text that no button has finds the form around it, which is sent without a button.
 * @param entered - values of fields by name, in place of those that the page has
 * @throws Error if the page has no such form
 */
export function submissionOf(page: Page, name: string, entered: Fields = {}): Submission {
  const buttons = tagsIn(page.html, 'button')
  const button =
    buttons.find(({ text }) => text === name || text.startsWith(`${name} `)) ??
    buttons.find(({ text }) => text.includes(name))
  const forms = tagsIn(page.html, 'form')
  const form = forms.find((each) => (button ? isIn(each, button) : each.content.includes(name)))
  if (!form) throw missing(page, 'button', name)
  const { name: pressed, value = '', formaction } = button?.attributes ?? {}
  const target = formaction ?? form.attributes.action ?? page.url
  return {
    url: new URL(target, page.url).href,
    isPost: form.attributes.method === 'post',
    fields: {
      ...Object.fromEntries(valuesIn(page, form)),
      ...(pressed !== undefined && { [pressed]: value }),
      ...entered,
    },
  }
}

/** Returns how a submission is requested. @param headers - by default that of a browser, which names the page's origin */
function requestOf(
  { url, isPost, fields }: Submission,
  headers: Fields = { origin: new URL(url).origin },
): [url: string, init: RequestInit] {
  const body = new URLSearchParams(fields)
  const { origin, pathname } = new URL(url)
  return isPost ? [url, { method: 'POST', headers, body }] : [`${origin}${pathname}?${body}`, {}]
}

const missing = ({ url, text }: Page, what: string, name: string): Error =>
  new Error(`The page ${url} has no ${what} '${name}': ${text}`)

/** Opens pages, and presses their buttons. A page stays as it was, so that its forms can be sent again. */
export type Pages = {
  open(url: string, headers?: Fields): Promise<Page>
  press(page: Page, name: string, entered?: Fields, headers?: Fields): Promise<Page>
  send(submission: Submission, headers?: Fields): Promise<Page>
  /** Opens the page to which a redirect leads. */
  follow(page: Page): Promise<Page>
}

/** @param options.follows - whether redirects within an origin are followed; otherwise they are pages with a `location` */
export function pagesOf(send: Send, { follows = false } = {}): Pages {
  const request = follows ? loadFollowing : load
  return {
    open: (url, headers = {}) => request(send, url, { headers }),
    press: (page, name, entered, headers) =>
      request(send, ...requestOf(submissionOf(page, name, entered), headers)),
    send: (submission, headers) => request(send, ...requestOf(submission, headers)),
    follow: (page) => request(send, nextOf(page)?.href ?? ''),
  }
}

/** A browser without script: it reads pages, fills in fields by their labels, and presses buttons and follows links by their names. */
export class Visitor {
  readonly #send: Send
  #page: Page | undefined
  #filled = new Map<string, string>()

  constructor(send: Send) {
    this.#send = send
  }

  get #shown(): Page {
    if (!this.#page) throw new Error('No page was opened')
    return this.#page
  }

  /** The address of the page, also of one on another site, which is not requested. */
  get url(): string {
    return nextOf(this.#shown)?.href ?? this.#shown.url
  }

  get status(): number {
    return this.#shown.status
  }

  get text(): string {
    return this.#shown.text
  }

  /** Opens a page, and follows its redirects within its origin. */
  async open(url: string, init: RequestInit = {}): Promise<this> {
    this.#page = await loadFollowing(this.#send, url, init)
    this.#filled = new Map()
    return this
  }

  /** Fills in the field with a label. @throws Error if there is none */
  fill(label: string, value: string): this {
    const { html } = this.#shown
    const id = tagsIn(html, 'label').find(({ text }) => text === label)?.attributes.for
    const name = tagsIn(html, 'input|select').find(({ attributes }) => attributes.id === id)?.attributes.name
    if (id === undefined || name === undefined) throw missing(this.#shown, 'field', label)
    this.#filled.set(name, value)
    return this
  }

  /** Chooses the radio button or checkbox whose label contains a text. @throws Error if there is none */
  choose(label: string): this {
    const { html } = this.#shown
    const found = tagsIn(html, 'label').find(({ text }) => text.includes(label))
    const input =
      tagsIn(found?.content ?? '', 'input')[0] ??
      tagsIn(html, 'input').find(({ attributes }) => attributes.id === found?.attributes.for)
    const { name, value = 'on' } = input?.attributes ?? {}
    if (!name) throw missing(this.#shown, 'choice', label)
    this.#filled.set(name, value)
    return this
  }

  /** Presses a button, and opens the page that its form leads to. @throws Error if there is none */
  press(name: string): Promise<this> {
    const submission = submissionOf(this.#shown, name)
    const fields = { ...submission.fields, ...Object.fromEntries(this.#filled) }
    return this.open(...requestOf({ ...submission, fields }))
  }

  /** Opens the page that a link leads to. @throws Error if there is none */
  async follow(name: string): Promise<this> {
    const link = tagsIn(this.#shown.html, 'a').find(({ text }) => text.includes(name))
    if (!link) throw missing(this.#shown, 'link', name)
    const next = new URL(link.attributes.href ?? '', this.url)
    if (next.origin === new URL(this.url).origin) return this.open(next.href)
    this.#page = { ...this.#shown, location: next.href }
    return this
  }
}

const isIn = ({ start, end, attributes: { id } }: Tag, field: Tag): boolean =>
  field.attributes.form === undefined
    ? start < field.start && field.start < end
    : field.attributes.form === id

/** Returns the names and values of the fields of a form. */
const valuesIn = ({ html }: Page, form: Tag): [string, string][] =>
  tagsIn(html, 'input|select').flatMap((field): [string, string][] => {
    const { attributes, content } = field
    const isChoice = attributes.type === 'radio' || attributes.type === 'checkbox'
    if (attributes.name === undefined || !isIn(form, field)) return []
    if (isChoice && attributes.checked === undefined) return []
    const [, option] = /<option\b([^>]*\bselected\b[^>]*)>/.exec(content) ?? []
    const value = option === undefined ? attributes.value : attributesOf(option).value
    return [[attributes.name, value ?? (isChoice ? 'on' : '')]]
  })

function tagsIn(html: string, names: string) {
  const pattern = new RegExp(`<(${names})\\b([^>]*)>(?:(?<=<(?:input)\\b[^>]*>)|(.*?)</\\1>)`, 'gs')
  return [...html.matchAll(pattern)].map((match) => {
    const [whole, , attributes = '', content = ''] = match
    return {
      start: match.index,
      end: match.index + whole.length,
      attributes: attributesOf(attributes),
      content,
      text: textOf(content),
    }
  })
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const unescaped = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (found) => ENTITIES[found] ?? '')

const textOf = (html: string): string =>
  unescaped(html.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()

const attributesOf = (text = ''): Attributes =>
  Object.fromEntries(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  )
