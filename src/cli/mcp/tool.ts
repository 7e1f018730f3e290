import type * as z from 'zod'
import type { Client } from '../../client/client.ts'

/** A tool of the Model Context Protocol, which an assistant can call. */
export type Tool = {
  readonly name: string
  /** The description by which an assistant chooses a tool. */
  readonly about: string
  readonly params: z.ZodObject
  readonly effect: Effect
  /** Runs it. The result is text, or an object that is shown as JSON. */
  readonly run: (client: Client, given: unknown) => Promise<string | object>
}

/** Whether a tool only reads, changes something, or removes something that cannot be restored. */
export type Effect = 'reads' | 'writes' | 'removes'

/** Declares a tool, whose `run` gets the checked parameters. */
export const tool = <Params extends z.ZodObject>(declared: {
  readonly name: string
  readonly about: string
  readonly params: Params
  readonly effect: Effect
  readonly run: (client: Client, params: z.output<Params>) => Promise<string | object>
}): Tool => ({
  ...declared,
  run: (client, given) => declared.run(client, declared.params.parse(given) as z.output<Params>),
})
