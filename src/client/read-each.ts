/** The maximum number of requests at the same time. Each needs a connection, and a daemon accepts only some at once. */
const AT_ONCE = 16

/** Reads something for each item, some at the same time. @returns the results, in the order of the items */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(read))))
  return results
}
