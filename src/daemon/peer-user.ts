import { existsSync, readFileSync } from 'node:fs'
import type { ConnectionEnds } from '../http/dashboard/connection.ts'

/**
 * Returns the number of the user whose process is at the other end of a connection. Linux lists the connections of
 * the machine with their users; undefined on other systems, for other machines, and from other network namespaces.
 * Source: proc_pid_net(5).
 */
export function userOfPeer(ends: ConnectionEnds): number | undefined {
  if (process.platform !== 'linux') return undefined
  // The connection as the other end has it.
  const line = `${endOf(ends.remoteAddress, ends.remotePort)} ${endOf(ends.localAddress, ends.localPort)}`
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6']
    .filter((table) => existsSync(table))
    .map((table) => userIn(readFileSync(table, 'latin1'), line))
    .find((user) => user !== undefined)
}

/** Finds the user of a connection in a table: after the two ends come the state, the queues, the timer and the retries. */
function userIn(table: string, ends: string): number | undefined {
  const at = table.indexOf(`: ${ends} `)
  if (at === -1) return undefined
  const [, , , , user] = table.slice(at + ends.length + 3).split(/\s+/, 5)
  return user === undefined ? undefined : Number(user)
}

/** Formats an address and a port as the tables do: the bytes of each group of four are reversed. */
function endOf(address = '', port = 0): string {
  const v4 = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const bytes = v4 ? v4.slice(1).map(Number) : address === '::1' ? [...Array(15).fill(0), 1] : []
  const groups = Array.from({ length: bytes.length / 4 }, (_, group) => bytes.slice(4 * group, 4 * group + 4))
  const hex = groups.flatMap((group) => group.toReversed()).map((byte) => twoDigits(byte))
  return `${hex.join('')}:${twoDigits(port >> 8)}${twoDigits(port & 0xff)}`
}

const twoDigits = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0')
