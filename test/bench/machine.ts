import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux tells in /proc what processes take. Elsewhere what is asked for here is null: not known. */
const HAS_PROC = existsSync('/proc/self/stat')

/** The processes that the bench has started and that live: what they take is none of the others' doing. */
const children = new Set<ChildProcess>()

/** Counts a process among the bench's own, and ends the bench when the process fails: what it measured is worth nothing then. */
export function countAsOurs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', (status) => {
    children.delete(child)
    // A crash may come when nobody waits for the process: an uncaught error ends the bench whatever it does.
    if (status) throw new Error(`${child.spawnargs.join(' ')} ended with exit status ${status}`)
  })
}

/** Ends what still runs, at once: for the end of the bench, whatever it was. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** What Linux counts in, on all machines that Node runs on. */
const TICKS_A_SECOND = 100

type Times = { readonly all: number; readonly busy: number; readonly ours: number }

/**
 * Begins to measure what other processes take of the machine.
 * @returns what ends it, and tells their share since then in per cent of all processors; null where /proc is missing
 */
export function watchOthers(): () => number | null {
  const before = readTimes()
  return () => {
    const after = readTimes()
    if (before === null || after === null) return null
    const others = after.busy - before.busy - (after.ours - before.ours)
    return (100 * Math.max(others, 0)) / Math.max(after.all - before.all, 1)
  }
}

/**
 * What a process has taken of the processors since its start, in seconds; null where unknown. Unlike the time on the wall it
 * is little longer when others work too.
 */
export const processorSeconds = (pid: number): number | null =>
  HAS_PROC ? ticksOf(pid) / TICKS_A_SECOND : null

/** In ticks of the kernel. Interrupts are nobody's: much of their time is the loopback's, hence our own. */
function readTimes(): Times | null {
  if (!HAS_PROC) return null
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + stolen
  const ours = ['self', ...[...children].flatMap(({ pid }) => pid ?? [])].map(ticksOf)
  return { all: busy + idle + waiting + hard + soft, busy, ours: ours.reduce((sum, one) => sum + one, 0) }
}

/** What a process has taken, with those of its children that have ended; 0 for one that is gone, as then its parent has it. */
function ticksOf(pid: number | string): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  // The second field is a name in parentheses, in which anything can be; utime is the 14th field.
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** The resident set of a process, now and at its largest since `resetPeak`, in megabytes (10⁶ bytes); null where unknown. */
export const residentMegabytes = (pid: number): number | null => statusField(pid, 'VmRSS')
export const peakMegabytes = (pid: number): number | null => statusField(pid, 'VmHWM')

export function resetPeak(pid: number): void {
  if (HAS_PROC) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function statusField(pid: number, name: string): number | null {
  if (!HAS_PROC) return null
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kilobytes) * 1_024) / 1e6
}
