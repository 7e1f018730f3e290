/** Sends a request, and returns its response without following a redirect. */
type Send = (url: string, init: RequestInit) => Response | Promise<Response>

type Form = { readonly start: number; readonly end: number; readonly attributes: Attributes }
type Attributes = Readonly<Record<string, string>>

/** A browser without script: it reads pages, fills in fields by their labels, and presses buttons and follows links by their names. */
export class Visitor {
  readonly #send: Send
  #html = ''
  #filled = new Map<string, string>()
  url = ''
  status = 0

  constructor(send: Send) {
    this.#send = send
  }

  /** Opens a page, and follows its redirects to the given origin. Other addresses are kept as `url`, but not requested. */
  async open(url: string, init: RequestInit = {}): Promise<this> {
    const headers = { host: new URL(url).host, ...init.headers }
    const response = await this.#send(url, { redirect: 'manual', ...init, headers })
    this.url = url
    this.status = response.status
    this.#html = await response.text()
    this.#filled = new Map()
    const location = response.headers.get('location')
    if (location === null) return this
    const next = new URL(location, url)
    if (next.origin === new URL(url).origin) return this.open(next.href)
    this.url = next.href
    return this
  }

  /** The text of the page, with single spaces. */
  get text(): string {
    return textOf(this.#html.replace(/^.*<body>/s, ''))
  }

  /** Fills in the field with a label. @throws Error if there is none */
  fill(label: string, value: string): this {
    const id = this.#tags('label').find(({ text }) => text === label)?.attributes.for
    const name = this.#tags('input|select').find(({ attributes }) => attributes.id === id)?.attributes.name
    if (id === undefined || name === undefined) throw this.#missing('field', label)
    this.#filled.set(name, value)
    return this
  }

  /** Chooses the radio button or checkbox whose label contains a text. @throws Error if there is none */
  choose(label: string): this {
    const found = this.#tags('label').find(({ text }) => text.includes(label))
    const within = [...(found?.content.matchAll(/<input\b([^>]*)>/g) ?? [])].map(([, it]) => attributesOf(it))
    const [
      input = this.#tags('input').find(
        ({ attributes }) => attributes.id === found?.attributes.for,
      )?.attributes,
    ] = within
    if (!input?.name) throw this.#missing('choice', label)
    this.#filled.set(input.name, input.value ?? 'on')
    return this
  }

  /** Presses a button, and opens the page that its form leads to. @throws Error if there is none */
  press(name: string): Promise<this> {
    const button = this.#tags('button').find(({ text }) => text === name || text.startsWith(`${name} `))
    if (!button) throw this.#missing('button', name)
    const forms = this.#tags('form')
    const own = button.attributes.form
    const form = forms.find(({ start, end, attributes }) =>
      own === undefined ? start < button.start && button.start < end : attributes.id === own,
    )
    if (!form) throw this.#missing('form of the button', name)
    const fields = new URLSearchParams(this.#fieldsOf(form))
    for (const [field, value] of this.#filled) fields.set(field, value)
    if (button.attributes.name !== undefined)
      fields.set(button.attributes.name, button.attributes.value ?? '')
    const target = new URL(button.attributes.formaction ?? form.attributes.action ?? this.url, this.url)
    const { origin } = new URL(this.url)
    if (form.attributes.method !== 'post') return this.open(`${target.origin}${target.pathname}?${fields}`)
    return this.open(target.href, { method: 'POST', headers: { origin }, body: fields })
  }

  /** Opens the page that a link leads to. @throws Error if there is none */
  async follow(name: string): Promise<this> {
    const link = this.#tags('a').find(({ text }) => text.includes(name))
    if (!link) throw this.#missing('link', name)
    const next = new URL(link.attributes.href ?? '', this.url)
    if (next.origin === new URL(this.url).origin) return this.open(next.href)
    this.url = next.href
    return this
  }

  #fieldsOf({ start, end, attributes: { id } }: Form): [string, string][] {
    return this.#tags('input|select').flatMap(({ start: at, attributes, content }): [string, string][] => {
      const isOwn = attributes.form === undefined ? start < at && at < end : attributes.form === id
      const isChoice = attributes.type === 'radio' || attributes.type === 'checkbox'
      if (!isOwn || attributes.name === undefined || (isChoice && attributes.checked === undefined)) return []
      const [, option] = /<option\b([^>]*\bselected\b[^>]*)>/.exec(content) ?? []
      const value = option === undefined ? attributes.value : attributesOf(option).value
      return [[attributes.name, value ?? (isChoice ? 'on' : '')]]
    })
  }

  #tags(names: string) {
    const pattern = new RegExp(`<(${names})\\b([^>]*)>(?:(?<=<(?:input)\\b[^>]*>)|(.*?)</\\1>)`, 'gs')
    return [...this.#html.matchAll(pattern)].map((match) => {
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

  #missing(what: string, name: string): Error {
    return new Error(`The page ${this.url} has no ${what} '${name}': ${this.text}`)
  }
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
