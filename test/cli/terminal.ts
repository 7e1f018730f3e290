import type { Io } from '../../src/cli/io.ts'

/** A data folder that does not exist, so that no test finds the daemon of the working folder. */
export const NOWHERE = { PAYTWIN_DATA: '/nowhere/at/all' }

/** Streams that record their output, and an environment without a daemon. */
export function recordedIo({
  isTerminal = false,
  columns = 80,
  env = {},
}: {
  isTerminal?: boolean
  columns?: number
  env?: Readonly<Record<string, string>>
} = {}) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: isTerminal,
    columns,
    write: (text: string) => {
      written[name] += text
    },
  })
  const io: Io = { stdout: stream('stdout'), stderr: stream('stderr'), env: { ...NOWHERE, ...env } }
  return { io, written }
}
