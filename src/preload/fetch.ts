import type { Sandbox } from './sandbox.ts'

/** Redirects `fetch` for requests to Stripe's API. */
export function redirectFetch(sandbox: Sandbox): void {
  const original = globalThis.fetch
  if (typeof original !== 'function') return
  const redirected: typeof fetch = async (input, init) => {
    const url = urlOf(input)
    const target = url && sandbox.urlOf(url.host, url.pathname + url.search)
    if (!target) return original(input, init)
    // A dispatcher, such as one for a proxy, would not reach a daemon on this machine.
    const { dispatcher: _, ...options } = init ?? {}
    return original(input instanceof Request ? new Request(target, input) : target, options)
  }
  globalThis.fetch = Object.defineProperty(redirected, 'name', { value: 'fetch' })
}

function urlOf(input: Parameters<typeof fetch>[0]): URL | undefined {
  const text = input instanceof Request ? input.url : String(input)
  return URL.canParse(text) ? new URL(text) : undefined
}
