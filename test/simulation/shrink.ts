/**
 * Finds a short sequence that still fails by dropping parts of it (delta debugging): first halves, then smaller parts,
 * then single entries.
 * @param fails - whether a shorter sequence fails in the same way
 * @param budget - the maximum number of sequences that are tried
 */
export async function shrink<Entry>(
  entries: readonly Entry[],
  fails: (entries: readonly Entry[]) => Promise<boolean>,
  budget = 400,
): Promise<readonly Entry[]> {
  let shortest = entries
  let size = Math.ceil(shortest.length / 2)
  let left = budget
  while (size >= 1 && left > 0) {
    let hasDropped = false
    for (let from = shortest.length - size; from > -size && left > 0; from -= size) {
      const candidate = [...shortest.slice(0, Math.max(0, from)), ...shortest.slice(Math.max(0, from) + size)]
      if (candidate.length === shortest.length) continue
      left -= 1
      if (!(await fails(candidate))) continue
      shortest = candidate
      hasDropped = true
    }
    if (size > 1) size = Math.ceil(size / 2)
    else if (!hasDropped) break
  }
  return shortest
}
