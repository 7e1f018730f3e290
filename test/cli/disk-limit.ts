import { execFileSync } from 'node:child_process'
import type { RunningDaemon } from './executable.ts'

/** Limits the size to which a running daemon can extend any file: to the daemon this is a full disk. */
export function limitFileSize({ pid }: Pick<RunningDaemon, 'pid'>, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

/** What the daemon logs when SQLite cannot write. */
export const NO_ROOM = /disk I\/O error|disk is full/
