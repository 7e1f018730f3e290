/** @jsxImportSource hono/jsx */

type Props = {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
  readonly path: string
  readonly query: URLSearchParams
  /** The parameters of the list that its links keep. */
  readonly kept: readonly string[]
}

/** Returns a parameter of a page; undefined for an empty one, because forms also send empty fields. */
export const given = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.trim() || undefined

/** Reports whether this page of a list has the newest rows, so that new rows belong on it. */
export const isFirstPage = (query: URLSearchParams): boolean =>
  given(query, 'after') === undefined && given(query, 'before') === undefined

/** The links to the newer and older pages of a list. */
export function Pager({ data, has_more, path, query, kept }: Props) {
  const link = (cursor: 'after' | 'before', id: string) => {
    const filters = kept.flatMap((name): [string, string][] => {
      const value = given(query, name)
      return value === undefined ? [] : [[name, value]]
    })
    return `${path}?${new URLSearchParams([...filters, [cursor, id]])}`
  }
  const [first, last] = [data[0], data.at(-1)]
  const isBackward = query.has('before')
  const hasNewer = first && (isBackward ? has_more : query.has('after'))
  const hasOlder = last && (isBackward || has_more)
  if (!hasNewer && !hasOlder) return null
  return (
    <nav class="pager" aria-label="Pages of the list">
      {hasNewer ? <a href={link('before', first.id)}>Newer</a> : null}
      {hasOlder ? <a href={link('after', last.id)}>Older</a> : null}
    </nav>
  )
}
