import type { Example } from '../../http/openapi/examples.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Route } from './document.ts'

/** Formats an example request as a curl command. */
export function curl(route: Route, { request }: Example, url: string): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.ids[name] ?? name)
  const query = pairsOf(request.query).join('&')
  const lines = [
    `curl ${shellWord(`${url}${path}${query && `?${query}`}`)}`,
    ...credentials(route),
    ...(route.method === 'delete' ? ['-X DELETE'] : []),
    ...(route.method === 'post' && !request.body ? ['-X POST'] : []),
    ...pairsOf(request.body ?? {}).map((pair) => `-d ${shellWord(pair)}`),
  ]
  return lines.join(' \\\n  ')
}

/** The option that authenticates, by the first security scheme of a route. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  basic: '-u "$PAYTWIN_SECRET_KEY:"',
  app: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  operator: '-H "Authorization: Bearer $PAYTWIN_ADMIN_TOKEN"',
}

const credentials = ({ operation }: Route): string[] =>
  operation.security
    .slice(0, 1)
    .flatMap((scheme) => Object.keys(scheme).map((name) => CREDENTIALS[name] ?? ''))

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
