import type { Command } from 'commander'
import { examplesText } from '../command.ts'
import type { ConnectionOptions } from '../daemon/connection.ts'
import type { Io } from '../io.ts'

const SETUP = `
An assistant starts the server itself. Its configuration names the command, usually like this:

  { "mcpServers": { "paytwin": { "command": "npx", "args": ["paytwin", "mcp"] } } }

The daemon can start later: each call looks for it as every command does. If none runs, the result
says how to start one.`

/** `paytwin mcp`. See docs/contract/command-line.md#model-context-protocol. */
export function mcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description(
      'Serve tools for an assistant that writes billing code, over the Model Context Protocol on standard input and output.',
    )
    .option('--url <URL>', 'the URL of the daemon (PAYTWIN_URL)')
    .option('--data <DIR>', 'the data folder of the daemon (PAYTWIN_DATA; default .paytwin)')
    .addHelpText('after', `${SETUP}\n${examplesText(['paytwin mcp', 'paytwin mcp --data ./sandbox'])}`)
    .action(async (options: ConnectionOptions) => {
      const { serveTools } = await import('../mcp/server.ts')
      await serveTools(options, io)
    })
}
