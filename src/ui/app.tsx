import { Box, Text, Transform } from 'ink'
import type { Frame } from './view.ts'

type Props = {
  readonly frame: Frame
  readonly columns: number
  readonly rows: number
}

/** The whole screen. It shows a finished frame. */
export function App({ frame, columns, rows }: Props) {
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Lines lines={frame.header} />
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        <Lines lines={frame.body} />
      </Box>
      <Lines lines={frame.panel} />
      <Lines lines={[frame.status]} />
    </Box>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position on the screen only
        <Line key={index} line={line} />
      ))}
    </Box>
  )
}

/**
 * A line that is drawn unchanged. Ink gets it as a transformation of a space, because Ink caches the width of every text
 * that it lays out: at a thousand events a second the cache would fill the memory.
 */
const Line = ({ line }: { readonly line: string }) => (
  <Transform transform={() => line}>
    <Text> </Text>
  </Transform>
)
