import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { countAsOurs } from './machine.ts'

/** Runs a process of the bench until it ends. */
function end(status: number | null): void {
  const child = Object.assign(new EventEmitter(), { spawnargs: ['node', 'bin/paytwin.js', 'serve'] })
  countAsOurs(child as unknown as ChildProcess)
  child.emit('exit', status)
}

test('a daemon that crashes ends the bench', () => {
  expect(() => end(1)).toThrow('node bin/paytwin.js serve ended with exit status 1')
})

test('a daemon that is stopped or killed does not', () => {
  end(0)
  end(null)
})
