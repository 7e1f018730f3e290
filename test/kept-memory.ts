import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns how many bytes of the heap remain in use after some work, beyond those before it. */
export async function keptBytes(work: () => unknown): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  await work()
  collect()
  return process.memoryUsage().heapUsed - before
}
