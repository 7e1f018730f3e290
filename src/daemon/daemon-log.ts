import { createLog, type Logger, onStderr } from './log.ts'
import { LogFile } from './log-file.ts'

/** The log of a daemon. */
export type DaemonLog = {
  readonly logger: Logger
  /** Starts to write the log to a file as well. */
  keepIn(path: string): void
  /** Writes a line only to the file. The user who starts the daemon gets the same information elsewhere. */
  note(details: Readonly<Record<string, unknown>>, text: string): void
  close(): void
}

/**
 * Creates a daemon's log: on stderr, unless in the background, and in a file after keepIn().
 * @param secrets - words to mask, in addition to keys and tokens of known form
 */
export function openLog({
  level,
  json,
  background = false,
  secrets,
}: {
  readonly level: string
  readonly json: boolean
  readonly background?: boolean
  readonly secrets: () => readonly string[]
}): DaemonLog {
  const everywhere = createLog({ level, secrets })
  const inFile = createLog({ level, secrets })
  if (!background) everywhere.add(onStderr({ json }))
  let file: LogFile | undefined
  return {
    logger: everywhere.logger,
    keepIn: (path) => {
      file = new LogFile(path)
      everywhere.add(file)
      inFile.add(file)
    },
    note: (details, text) => inFile.logger.info(details, text),
    close: () => file?.close(),
  }
}
