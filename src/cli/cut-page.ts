import type { List } from '../client/types.ts'

/** Describes a page that ended before the requested number of entries, because they are large. Undefined for other pages. */
export function noteOfCut(
  { data, has_more }: Pick<List<{ readonly id: string }>, 'data' | 'has_more'>,
  { limit, isBackward = false }: { readonly limit: number; readonly isBackward?: boolean },
): string | undefined {
  if (!has_more || data.length >= limit) return undefined
  const rest = isBackward ? `before ${data[0]?.id} for newer ones` : `after ${data.at(-1)?.id} for older ones`
  return `The list ends early, because its events are large. Continue ${rest}.`
}
