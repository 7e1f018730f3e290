import type { Command } from 'commander'
import { addVerb } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'

/** How long the daemon's process may take to end after its database is closed, in milliseconds. */
const EXIT_TIMEOUT_MS = 10_000
/** Hosts that this machine reaches without a proxy. */
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/

/** `paytwin stop`. See docs/contract/operator.md#stopping. */
export function stopCommand(program: Command, io: Io): void {
  addVerb(program, io, {
    usage: 'stop',
    about: 'Stop the daemon, and return when its port and data folder are free again.',
    examples: ['paytwin stop', 'paytwin stop --json'],
    run: async ({ client, out }) => {
      const { shutdown, exitsWithin: endsWithin } = await client.shutDown()
      const { url, pid, data } = shutdown
      const daemon = `The daemon at ${url} (pid ${pid}, data ${data ?? 'in memory'})`
      // The end of a process on another machine, often behind a proxy, cannot be observed.
      const isLocal = THIS_MACHINE.test(new URL(client.address.url).hostname)
      if (isLocal && !(await endsWithin(EXIT_TIMEOUT_MS))) {
        throw new Failure(
          1,
          `${daemon} has closed its database and its port, but its process has not ended within ${EXIT_TIMEOUT_MS / 1_000} s. If it does not end by itself, run: kill -9 ${pid}`,
        )
      }
      out.show(shutdown, () =>
        out.line(`${daemon} ${isLocal ? 'has stopped' : 'has closed its database and is stopping'}.`),
      )
    },
  })
}
