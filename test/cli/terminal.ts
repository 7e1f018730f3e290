import type { Io } from '../../src/cli/io.ts'

/** Streams that keep what is written to them. */
export function recordedIo({
  isTerminal = false,
  env = {},
}: {
  isTerminal?: boolean
  env?: Readonly<Record<string, string>>
} = {}) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: isTerminal,
    columns: 80,
    write: (text: string) => {
      written[name] += text
    },
  })
  const io: Io = { stdout: stream('stdout'), stderr: stream('stderr'), env }
  return { io, written }
}
