/** One of the process's standard streams, or a stand-in. */
export type Stream = {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** A whole terminal, for what draws on all of it and listens to its keys. */
export type Terminal = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }

/** What a command line stands on: two streams and an environment. */
export type Io = {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where there is one; a function, because stdin is opened when it is first looked at. */
  readonly terminal?: () => Terminal
}

/** A variable of the environment; undefined when it is unset or empty. */
export const variable = ({ env }: Pick<Io, 'env'>, name: string): string | undefined => env[name] || undefined
