import { spawn } from 'node:child_process'
import type { Io } from './io.ts'

/** Returns the program that opens a url in the browser, with its arguments; empty without a desktop. */
export function openerOf(platform: NodeJS.Platform, env: Io['env']): readonly string[] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}

/** Opens a url in the browser if there is a terminal and a desktop. */
export function openInBrowser({ stdout, env }: Io, url: string): void {
  const [program, ...args] = openerOf(process.platform, env)
  if (stdout.isTTY && program !== undefined) openWith(program, [...args, url])
}

/** Starts a program that continues after this process. If it is not installed, nothing happens: the link is printed too. */
function openWith(program: string, args: readonly string[]): void {
  spawn(program, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}

/**
 * Replaces the origin of a daemon's url by the one that this command uses. They differ, for example, with a published port of a
 * container.
 * @param reached - the url under which the command reaches the daemon
 */
export function asReached(url: string, reached: string): string {
  const { pathname, search } = new URL(url)
  return `${reached.replace(/\/+$/, '')}${pathname}${search}`
}
