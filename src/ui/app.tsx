import { Box, Text, Transform, useInput } from 'ink'
import { keyNames } from './key-names.ts'
import type { Frame } from './view.ts'

type Props = {
  readonly frame: Frame
  readonly columns: number
  readonly rows: number
  /** Given a key by its name; always the same function. */
  readonly onKey: (key: string) => void
}

/** The whole screen: what there is to see was decided before, and keys are passed on. */
export function App({ frame, columns, rows, onKey }: Props) {
  useInput((input, key) => {
    for (const name of keyNames(input, key)) onKey(name)
  })
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place on the screen and by nothing else
        <Line key={index} line={line} />
      ))}
    </Box>
  )
}

/**
 * A line that is drawn as it is. It reaches Ink as a transformation of a blank, because Ink remembers the measures of
 * every text that it has ever laid out: a thousand events a second would fill the memory.
 */
const Line = ({ line }: { readonly line: string }) => (
  <Transform transform={() => line}>
    <Text> </Text>
  </Transform>
)
