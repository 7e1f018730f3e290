import type { Command } from 'commander'
import { addVerb } from './command.ts'
import { Failure } from './failure.ts'
import type { Io } from './io.ts'

/** How long the daemon's process may take to end after its database is closed, in milliseconds. */
const PATIENCE_MS = 10_000
/** Hosts to which this machine connects without a proxy in between. */
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/

/** `paytwin stop`. See docs/contract/operator.md#stopping. */
export function stopCommand(program: Command, io: Io): void {
  addVerb(program, io, {
    usage: 'stop',
    about: 'End the daemon cleanly; returns when its port and its data folder are free again.',
    examples: ['paytwin stop', 'paytwin stop --json'],
    run: async ({ client, out }) => {
      const { answer, endsWithin } = await client.shutDown()
      const { url, pid, data } = answer
      const daemon = `The daemon at ${url} (pid ${pid}, data ${data ?? 'in memory'})`
      // Behind a proxy, as most other machines are, nobody can see when the process ends.
      const isNear = THIS_MACHINE.test(new URL(client.address.url).hostname)
      if (isNear && !(await endsWithin(PATIENCE_MS))) {
        throw new Failure(
          1,
          `${daemon} has closed its database and its port, but its process has not ended within ${PATIENCE_MS / 1_000} s. If it does not end by itself, end it with: kill -9 ${pid}`,
        )
      }
      out.show(answer, () =>
        out.line(`${daemon} ${isNear ? 'has ended' : 'has closed its database and is ending'}.`),
      )
    },
  })
}
