import { createLog, type Logger, onStderr } from './log.ts'
import { LogFile } from './log-file.ts'

/** What a daemon writes down. */
export type DaemonLog = {
  readonly logger: Logger
  /** Also keeps the log in a file, from now on. */
  keepIn(path: string): void
  /** Notes in the file alone what whoever started the daemon is told otherwise. */
  note(details: Readonly<Record<string, unknown>>, text: string): void
  close(): void
}

/**
 * A daemon's log: on stderr, and in a file once there is a folder of its own for it. In the background nobody reads stderr.
 * @param secrets - words beside keys and tokens of known form that are not to be written
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
