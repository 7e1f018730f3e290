import { asOperator } from '../http/support.ts'
import type { Twin } from '../twin.ts'

const ORIGIN = 'http://localhost:4242'

/** The url with which tests open a sandbox, so that its links and cookies name a port. */
export const url = (): string => ORIGIN

type Sent = {
  readonly method?: string
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request of a browser without a session, with a Host and, for a form, an Origin. */
export function visit({ sandbox }: Twin, path: string, { method, form, headers = {} }: Sent = {}) {
  return sandbox.app.request(path, {
    method: method ?? (form ? 'POST' : 'GET'),
    headers: {
      Host: 'localhost:4242',
      Accept: 'text/html',
      ...(form && { Origin: ORIGIN, 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { body: new URLSearchParams(form).toString() }),
  })
}

/** Creates a link to the dashboard. @returns its path */
export async function linkOf(twin: Twin): Promise<string> {
  const { body } = await asOperator(twin)('POST', 'dashboard/links')
  const { pathname, search } = new URL(body.url)
  return pathname + search
}

/** A page as a browser with a session gets it. */
export type Shown = { readonly status: number; readonly text: string; readonly headers: Headers }

/** A browser that is signed in, without a screen. */
export type SignedIn = {
  readonly cookie: string
  /** The path of the merchant's overview. */
  readonly base: string
  /** Shows a page below the merchant's overview, after its redirects. */
  show(path?: string): Promise<Shown>
  /** Sends a form of the dashboard, and shows the page after it. */
  send(path: string, form: Readonly<Record<string, string>>): Promise<Shown>
}

/** Signs in with a link. */
export async function signIn(twin: Twin): Promise<SignedIn> {
  const opened = await visit(twin, await linkOf(twin))
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const base = `/dashboard/${twin.sandbox.merchant.settings.id}`
  const follow = async (response: Response): Promise<Shown> => {
    const target = response.headers.get('location')
    if (target !== null) return follow(await visit(twin, target, { headers: { cookie } }))
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const show = async (path = '') => follow(await visit(twin, base + path, { headers: { cookie } }))
  return {
    cookie,
    base,
    show,
    send: async (path, fields) => {
      const token = tokenOf((await show()).text)
      return follow(await visit(twin, base + path, { form: { token, ...fields }, headers: { cookie } }))
    },
  }
}

/** Reads the token of the forms of a page. */
export const tokenOf = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''

/** Returns the text of a page's content. */
export const plain = (page: string): string =>
  page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
