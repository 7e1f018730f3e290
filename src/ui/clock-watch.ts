import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Clock } from '../client/types.ts'

const EVERY_MS = 1_000
/** While an advance is under way, so that its progress is seen. */
const OFTEN_MS = 200

/** Looks at the clocks again and again until the signal ends it. `look()` does so at once, such as after a change. */
export function watchClocks(
  client: Client,
  merchant: string | undefined,
  {
    signal,
    onClocks,
  }: { readonly signal: AbortSignal; readonly onClocks: (clocks: readonly Clock[]) => void },
): { look: () => void } {
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  const look = async () => {
    if (isLooking || signal.aborted) return
    isLooking = true
    clearTimeout(timer)
    const clocks = await readClocks(client, merchant)
    isLooking = false
    if (signal.aborted) return
    if (clocks) onClocks(clocks)
    const isMoving = clocks?.some(({ status }) => status === 'advancing')
    timer = setTimeout(look, isMoving ? OFTEN_MS : EVERY_MS)
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  void look()
  return { look: () => void look() }
}

/** None where the merchant is gone; undefined when the daemon is away: the connection tells that. */
async function readClocks(
  client: Client,
  merchant: string | undefined,
): Promise<readonly Clock[] | undefined> {
  try {
    return (await client.clocks({ merchant })).data
  } catch (error) {
    return error instanceof Refused && error.code === 'resource_missing' ? [] : undefined
  }
}
