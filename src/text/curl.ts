import { shellWord } from './shell-word.ts'

/** A request to /v1, as the request log shows it. */
type Request = {
  readonly method: string
  readonly path: string
  readonly content: {
    readonly body_format: 'form' | 'json' | null
    readonly params: Readonly<Record<string, unknown>> | null
  } | null
}

/** Builds the curl command that sends a request again. Globbing is off, because parameters have brackets. */
export function curlOf(url: string, { method, path, content }: Request): string {
  const lines = [
    `curl --globoff -X ${method} ${shellWord(url + path)}`,
    '-u "$PAYTWIN_SECRET_KEY:"',
    ...(content?.params ? bodyOf(content.params, content.body_format) : []),
  ]
  return lines.join(' \\\n  ')
}

function bodyOf(params: Readonly<Record<string, unknown>>, format: 'form' | 'json' | null): string[] {
  if (format === 'json')
    return ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(params))}`]
  return pairsOf(params).map(([name, value]) =>
    // curl encodes only the value, and reads a file for a name that begins with @.
    /^[\w.:/-]*$/.test(value)
      ? `-d ${shellWord(`${name}=${value}`)}`
      : `--data-urlencode ${shellWord(`${name}=${value}`)}`,
  )
}

/** Lists the parameters of a form: `{items: [{price: 'p'}]}` → `items[0][price]`, `p`. */
function pairsOf(value: unknown, name = ''): [name: string, value: string][] {
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]]
  return Object.entries(value).flatMap(([key, child]) => {
    const step = encodeURIComponent(key)
    return pairsOf(child, name === '' ? step : `${name}[${step}]`)
  })
}
