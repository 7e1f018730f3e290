import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { postJson } from '../../client/admin-requests.ts'
import type { DashboardLink } from '../../client/types.ts'
import { addVerb } from '../command.ts'
import type { Io } from '../io.ts'

/** `paytwin open`. See docs/contract/operator.md#dashboard. */
export function openCommand(program: Command, io: Io): void {
  addVerb<{ browser: boolean }>(program, io, {
    usage: 'open',
    about:
      'Open the dashboard in the browser. Prints a link that works once, within an hour, and on a terminal also opens it.',
    options: (command) => command.option('--no-browser', 'only print the link'),
    examples: ['paytwin open', 'paytwin open --no-browser'],
    run: async ({ client, out }, { browser }) => {
      const created = await postJson<DashboardLink>(client.address, 'dashboard/links', {})
      // The daemon may be reached under another url than its own, such as a published port of a container.
      const { pathname, search } = new URL(created.url)
      const url = `${client.address.url.replace(/\/+$/, '')}${pathname}${search}`
      out.show({ ...created, url }, () => out.line(url))
      const [program, ...args] = openerOf(process.platform, io.env)
      if (browser && io.stdout.isTTY && !out.isJson && program !== undefined)
        openWith(program, [...args, url])
    },
  })
}

/** Returns the program that opens a url in the browser, with its arguments; empty without a desktop. */
export function openerOf(platform: NodeJS.Platform, env: Io['env']): readonly string[] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}

/** Starts a program that goes on without this process. If it is not installed, the printed link is still there. */
function openWith(program: string, args: readonly string[]): void {
  spawn(program, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}
