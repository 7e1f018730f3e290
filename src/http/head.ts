import type { Hono } from 'hono'

/**
 * Responds to each HEAD request as to the same GET request, without the body: load balancers and tools that wait for
 * a server send HEAD. Handlers therefore never see the method HEAD.
 * See docs/contract/requests.md#head.
 */
export function serveHeadRequests(app: Hono): void {
  const { fetch } = app
  app.fetch = (request, ...rest) =>
    request.method === 'HEAD' ? headersOf(fetch(asGet(request), ...rest)) : fetch(request, ...rest)
}

/**
 * Converts a HEAD request. Removes Accept, so that the answer is no event stream where there is a choice. It is marked as a
 * prefetch, so that it does not use up a link that works once.
 */
function asGet({ url, headers: given, signal }: Request): Request {
  const headers = new Headers(given)
  headers.delete('accept')
  headers.set('sec-purpose', 'prefetch')
  return new Request(url, { method: 'GET', headers, signal })
}

async function headersOf(answered: Response | Promise<Response>): Promise<Response> {
  const { status, headers, body } = await answered
  const sent = new Headers(headers)
  // An event stream has no end.
  const isSized = sent.has('content-length') || sent.get('content-type') === 'text/event-stream'
  if (isSized) await body?.cancel()
  else sent.set('content-length', String(await sizeOf(body)))
  return new Response(null, { status, headers: sent })
}

/** Returns the size of a body in bytes. */
async function sizeOf(body: Response['body']): Promise<number> {
  let size = 0
  for await (const chunk of body ?? []) size += chunk.length
  return size
}
