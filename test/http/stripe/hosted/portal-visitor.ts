import type { Twin } from '../../../twin.ts'

/** A page that was shown. */
export type Seen = {
  readonly status: number
  readonly html: string
  /** Where it leads on another site; empty for nowhere. */
  readonly location: string
  readonly url: string
}

export type Visit = (
  url: string,
  form?: Record<string, string>,
  headers?: Record<string, string>,
) => Promise<Seen>

/** Returns a function that sends requests as a browser does, and follows redirects within the pages. */
export function visitor({ sandbox }: Twin): Visit {
  const visit: Visit = async (url, form, headers = {}) => {
    const response = await sandbox.app.request(url, {
      headers: {
        Host: 'localhost',
        ...(form && { Origin: 'http://localhost', 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    })
    const location = response.headers.get('location') ?? ''
    if (location.startsWith('/')) return visit(new URL(location, url).href)
    return { status: response.status, html: await response.text(), location, url }
  }
  return visit
}

/** Returns the hidden fields of the form that has a text in it, and where it is sent. */
export function formWith({ html, url }: Seen, text: string): { url: string; fields: Record<string, string> } {
  const forms = html.split('<form').slice(1)
  const form = forms.find((part) => part.split('</form>')[0]?.includes(text))
  if (form === undefined) throw new Error(`no form has ${text}`)
  const [tag = ''] = form.split('>')
  const action = /action="([^"]*)"/.exec(tag)?.[1]
  const hidden = [...(form.split('</form>')[0] ?? '').matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  return {
    url: action === undefined ? url : new URL(action, url).href,
    fields: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])),
  }
}

/** Presses the button of a form. */
export function press(
  visit: Visit,
  seen: Seen,
  text: string,
  more: Record<string, string> = {},
): Promise<Seen> {
  const { url, fields } = formWith(seen, text)
  return visit(url, { ...fields, ...more })
}
