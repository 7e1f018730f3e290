import type { Io } from '../../src/cli/io.ts'

/** Streams that keep what is written to them. */
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
  const io: Io = { stdout: stream('stdout'), stderr: stream('stderr'), env }
  return { io, written }
}
