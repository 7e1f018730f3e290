import type { Example } from '../openapi/examples.ts'
import type { Registered } from '../route.ts'

/** Formats an example request as a curl command. */
export function curl(route: Registered, { request }: Example, url: string): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => request.ids[name] ?? name)
  const query = pairsOf(request.query).join('&')
  const lines = [
    `curl ${quoted(`${url}${path}${query && `?${query}`}`)}`,
    ...credentials(route),
    ...(route.method === 'delete' ? ['-X DELETE'] : []),
    ...(route.method === 'post' && !request.body ? ['-X POST'] : []),
    ...pairsOf(request.body ?? {}).map((pair) => `-d ${quoted(pair)}`),
  ]
  return lines.join(' \\\n  ')
}

function credentials({ audience }: Registered): string[] {
  if (audience === 'everybody') return []
  if (audience === 'app') return ['-u "$CLIENT_ID:$CLIENT_SECRET"']
  return audience === 'operator'
    ? ['-H "Authorization: Bearer $PAYTWIN_ADMIN_TOKEN"']
    : ['-u "$PAYTWIN_SECRET_KEY:"']
}

/** Formats nested parameters as form pairs: `items[0][price]=…`. */
function pairsOf(params: object, name = ''): string[] {
  return Object.entries(params).flatMap(([key, value]) => {
    const named = name === '' ? key : `${name}[${key}]`
    return typeof value === 'object' && value !== null
      ? pairsOf(value, named)
      : [
          `${named}=${encodeURIComponent(value === null ? '' : String(value))
            .replaceAll('%20', '+')
            .replaceAll('%40', '@')}`,
        ]
  })
}

/** Quotes a word for the shell if necessary. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
