import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Measurements of processes come from Linux's /proc. On other systems they are null. */
const HAS_PROC = existsSync('/proc/self/stat')

/** The running processes of the bench, which do not count as load of other processes. */
const children = new Set<ChildProcess>()

/** Registers a process of the bench, and ends the bench if the process fails, because its measurements are then invalid. */
export function countAsOurs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', (status) => {
    children.delete(child)
    // No code may be waiting for the process when it crashes. An uncaught error ends the bench in any case.
    if (status) throw new Error(`${child.spawnargs.join(' ')} ended with exit status ${status}`)
  })
}

/** Kills the processes that still run. Called when the bench ends for any reason. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** The ticks per second of /proc, on all Linux machines that Node supports. */
const TICKS_A_SECOND = 100

type Times = { readonly all: number; readonly busy: number; readonly ours: number }

/**
 * Starts to measure the load of other processes.
 * @returns a function that ends the measurement and returns their share of all processors in percent; null without /proc
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
 * Returns the processor time of a process since its start, in seconds; null if unknown. Unlike wall time, it hardly depends
 * on the load of other processes.
 */
export const processorSeconds = (pid: number): number | null =>
  HAS_PROC ? ticksOf(pid) / TICKS_A_SECOND : null

/** In ticks of the kernel. Interrupts are not counted as load of others, because the bench's loopback traffic causes most of them. */
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

/** Returns the ticks of a process and its ended children; 0 for an ended process, which its parent includes. */
function ticksOf(pid: number | string): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  // The second field is a name in parentheses, which can contain any characters. utime is the 14th field.
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** Returns the resident set of a process, current and peak since `resetPeak`, in megabytes (10⁶ bytes); null if unknown. */
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
