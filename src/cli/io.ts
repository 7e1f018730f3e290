/** One of the process's standard streams, or a test's replacement. */
type Stream = {
  readonly isTTY?: boolean
  readonly columns?: number
  /** The number of characters that wait for a reader. */
  readonly writableLength?: number
  write(text: string, written?: () => void): unknown
}

/** A terminal, for a full-screen UI that reads keys. */
export type Terminal = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }

/** The streams and the environment of the command line. */
export type Io = {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the terminal, if there is one. It is a function because reading `process.stdin` opens it. */
  readonly terminal?: () => Terminal
}

/** Reads an environment variable. @returns undefined if it is unset or empty */
export const variable = ({ env }: Pick<Io, 'env'>, name: string): string | undefined => env[name] || undefined
