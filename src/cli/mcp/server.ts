import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { Client } from '../../client/client.ts'
import { toJson } from '../../text/display.ts'
import { VERSION } from '../commands/version.ts'
import { type ConnectionOptions, findDaemon } from '../daemon/connection.ts'
import { explainConnection } from '../daemon/explain-connection.ts'
import { Failure, messageOf } from '../failure.ts'
import type { Io } from '../io.ts'
import { AnsweringTransport } from './answering-transport.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import { CompleteLines } from './complete-lines.ts'
import { listToolFor, OBJECT_TOOLS } from './object-tools.ts'
import { SCENE_TOOLS } from './scene-tools.ts'
import { TIME_TOOLS } from './time-tools.ts'
import type { Tool } from './tool.ts'

const TOOLS: readonly Tool[] = [
  ...SCENE_TOOLS.slice(0, 1),
  ...TIME_TOOLS,
  ...OBJECT_TOOLS,
  ...SCENE_TOOLS.slice(1),
]

const INSTRUCTIONS = `paytwin is a sandbox of a payments and recurring-billing service with a clock that you control: nothing is real money.
The application under test talks to its API (/v1, or Stripe's API for merchants with the dialect stripe). Use these tools to
move time (advance), to see what happened (timeline, list_events, list_requests) and to find out why (why). Times are UTC.`

/** paytwin: the largest message, in MiB. */
const MAX_MESSAGE_MIB = 10

/**
 * Serves the tools over standard input and output until the client closes them and has its responses. The daemon is looked up at
 * each call, so it can start later than the server.
 * @throws Failure when a message is too large
 * See docs/contract/command-line.md#model-context-protocol.
 */
export async function serveTools(options: ConnectionOptions, io: Io): Promise<void> {
  const server = new Server(
    { name: 'paytwin', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  const { stdin, stdout } = io.terminal?.() ?? process
  const lines = stdin.pipe(new CompleteLines())
  const transport = new AnsweringTransport(lines, stdout, { maxBufferSize: MAX_MESSAGE_MIB << 20 })
  // All lists share the descriptions, because the number of lists that the client does not read is not limited.
  const tools = TOOLS.map(described)
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  const calls = new CallsInFlight(() => transport.written())
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, { signal }) =>
    calls.run(() => call({ name, given: wellFormed(given) }, options, io), signal),
  )
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  server.onerror = (error) => {
    if (error instanceof SyntaxError || error instanceof z.core.$ZodError)
      io.stderr.write('warning: ignored a line of standard input that is not a JSON-RPC message\n')
  }
  let hasEnded = false
  // The transport does not report the end of its input.
  lines.on('end', () => {
    hasEnded = true
    transport.closeWhenAnswered()
  })
  await server.connect(transport)
  await closed
  if (hasEnded) return
  // The process would wait for the rest of the message.
  stdin.destroy()
  throw new Failure(1, `A message on standard input is larger than ${MAX_MESSAGE_MIB} MiB.`)
}

/** Replaces lone surrogates, which no path and no body can contain. */
const wellFormed = (given: object): object =>
  JSON.parse(JSON.stringify(given), (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))

/** Describes a tool with a JSON schema of its parameters. */
const described = ({ name, about, params, effect }: Tool) => ({
  name,
  description: about,
  inputSchema: z.toJSONSchema(params, { io: 'input' }) as { type: 'object' },
  annotations: {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'removes',
    openWorldHint: false,
  },
})

/** Calls a tool. A failure is a result too, so that the assistant can read what to do. */
async function call(
  { name, given }: { readonly name: string; readonly given: unknown },
  options: ConnectionOptions,
  io: Io,
): Promise<CallToolResult> {
  const found = TOOLS.find((each) => each.name === name)
  if (!found)
    return failed(`There is no tool '${name}'. The tools are ${TOOLS.map((each) => each.name).join(', ')}.`)
  const checked = found.params.safeParse(given)
  if (!checked.success) return failed(z.prettifyError(checked.error))
  const client = new Client(findDaemon(options, io))
  try {
    const result = await found.run(client, given)
    return { content: [{ type: 'text', text: typeof result === 'string' ? result : toJson(result, 2) }] }
  } catch (error) {
    return failed(messageOf(explainConnection(error, client.address, options, io), listToolFor))
  }
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })
