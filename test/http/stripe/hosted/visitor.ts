import type { StripeTwin } from '../sdk.ts'

const HEADERS = { Host: 'localhost' }

/** A page as a browser without script shows it. */
export type Shown = {
  readonly status: number
  readonly html: string
  /** The readable text. */
  readonly text: string
  readonly headers: Headers
  /** The address of a redirect; null for none. */
  readonly location: string | null
  /** The text of the element with the role alert; null for none. */
  readonly alert: string | null
  readonly url: string
}

/** Opens a page. */
export const open = async ({ twin }: StripeTwin, url: string): Promise<Shown> =>
  shown(url, await twin.sandbox.app.request(url, { headers: HEADERS }))

/**
 * Fills in the form of a page, presses one of its buttons, and returns the page that follows.
 * @param fields - values of inputs by name, in place of those that the page has
 * @param headers - of the request; a browser sends the page's origin
 */
export async function press(
  { twin }: StripeTwin,
  page: Shown,
  button: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = { Origin: 'http://localhost' },
): Promise<Shown> {
  const action = /<form[^>]* action="([^"]+)"/.exec(page.html)?.[1]
  const url = new URL(action ?? page.url, page.url).href
  const body = new URLSearchParams({ ...valuesIn(page.html), ...fields, ...buttonOf(page.html, button) })
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const response = await twin.sandbox.app.request(url, {
    method: 'POST',
    headers: { ...HEADERS, ...type, ...headers },
    body: String(body),
  })
  return shown(url, response)
}

/** Opens the page to which a redirect leads within paytwin. */
export const follow = (twin: StripeTwin, page: Shown): Promise<Shown> =>
  open(twin, new URL(page.location ?? '', page.url).href)

async function shown(url: string, response: Response): Promise<Shown> {
  const html = await response.text()
  const alert = / role="alert">(.*?)<\/p>/s.exec(html)?.[1]
  return {
    status: response.status,
    html,
    text: textOf(html.replace(/<head>.*<\/head>/s, '')),
    headers: response.headers,
    location: response.headers.get('location'),
    alert: alert === undefined ? null : textOf(alert),
    url,
  }
}

/** Returns the values that the inputs of a page have. */
function valuesIn(html: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [, attributes = ''] of html.matchAll(/<input([^>]*)>/g)) {
    const isChoice = /type="(checkbox|radio)"/.test(attributes)
    const name = attributeIn(attributes, 'name')
    if (name !== '' && (!isChoice || / checked/.test(attributes)))
      values[name] = attributeIn(attributes, 'value')
  }
  return values
}

/** Returns the name and value of a button. Fails if the page has no such button. */
function buttonOf(html: string, text: string): Record<string, string> {
  for (const [, attributes = '', content = ''] of html.matchAll(/<button([^>]*)>(.*?)<\/button>/gs)) {
    if (!textOf(content).includes(text)) continue
    const name = attributeIn(attributes, 'name')
    return name === '' ? {} : { [name]: attributeIn(attributes, 'value') }
  }
  throw new Error(`The page has no button ${text}: ${textOf(html)}`)
}

const attributeIn = (attributes: string, name: string): string =>
  unescaped(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')

const textOf = (html: string): string =>
  unescaped(html.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
