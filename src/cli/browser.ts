import { spawn } from 'node:child_process'
import type { Io } from './io.ts'

/** Returns the program that opens a url in the browser, with its arguments; empty without a desktop. */
export function openerOf(platform: NodeJS.Platform, env: Io['env']): readonly string[] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}

/** Returns the program that opens a url, if there is a terminal and a desktop. */
const openerIn = ({ stdout, env }: Io): readonly string[] =>
  stdout.isTTY ? openerOf(process.platform, env) : []

/** Reports whether urls are opened in the browser. */
export const hasBrowser = (io: Io): boolean => openerIn(io).length > 0

/** Opens a url in the browser if there is a terminal and a desktop. */
export function openInBrowser(io: Io, url: string): void {
  const [program, ...args] = openerIn(io)
  if (program !== undefined) openWith(program, [...args, url])
}

/** Starts a program that continues after this process. If it is not installed, nothing happens: the link is printed too. */
function openWith(program: string, args: readonly string[]): void {
  spawn(program, args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}

/** The beginning of a url that browsers cannot open everywhere: all addresses of a machine. */
const ALL_ADDRESSES = /^http:\/\/(?:0\.0\.0\.0|\[::\])(?::|$)/

/**
 * Replaces the origin of a daemon's url by the one that this command uses. They differ, for example, with a published port of a
 * container.
 * In the container itself, the daemon's own url is kept.
 * @param reached - the url under which the command reaches the daemon
 */
export function asReached(url: string, reached: string): string {
  if (ALL_ADDRESSES.test(reached)) return url
  const { pathname, search } = new URL(url)
  return `${reached.replace(/\/+$/, '')}${pathname}${search}`
}
