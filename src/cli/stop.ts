import type { Command } from 'commander'
import { addVerb } from './command.ts'
import type { Io } from './io.ts'

/** `paytwin stop`. Source: operator.md, Daemon. */
export function stopCommand(program: Command, io: Io): void {
  addVerb(program, io, {
    usage: 'stop',
    about: 'End the daemon cleanly; returns when its port and its data folder are free again.',
    examples: ['paytwin stop', 'paytwin stop --json'],
    run: async ({ client, out }) =>
      out.show(await client.shutDown(), ({ url, pid, data }) =>
        out.line(`The daemon at ${url} (pid ${pid}, data ${data ?? 'in memory'}) has ended.`),
      ),
  })
}
