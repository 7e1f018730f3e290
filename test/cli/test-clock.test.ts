import { expect, test } from 'vitest'
import { type Clock, type List, NOW_SECONDS, withDaemon } from './command-line.ts'
import { api, subscribe } from './executable.ts'

const { daemon, json, text, fail } = withDaemon()

test('a test clock is shown and advanced by its ID, and the main clock does not move', async () => {
  const { id } = await api(daemon(), '/v1/test_helpers/test_clocks', {
    frozen_time: NOW_SECONDS,
    name: 'Leap day',
  })
  const shown = await json<List<Clock>>('clock', 'show', '--test-clock', id)
  expect(shown.data).toMatchObject([{ id, object: 'test_clock', now: NOW_SECONDS }])
  const moved = await text('clock', 'advance', '1d', '--test-clock', id)
  expect(moved).toContain('0 jobs, 0 events')
  expect((await json<List<Clock>>('clock', 'show')).data).toMatchObject([
    { object: 'clock', now: NOW_SECONDS },
  ])
  expect((await json<List<Clock>>('clock', 'show', '--test-clock', id)).data[0]?.now).toBe(
    NOW_SECONDS + 86_400,
  )
  await subscribe(daemon())
  expect((await json<List<object>>('clock', 'next', '--test-clock', id)).data).toEqual([])
  expect((await json<List<object>>('clock', 'next')).data).toHaveLength(1)
})

test.each([
  [
    2,
    ['clock', 'advance', '1d', '--test-clock', 'clock_x', '--all'],
    '--test-clock and --all cannot be combined.',
  ],
  [1, ['clock', 'advance', '1d', '--test-clock', 'clock_x'], "No such test clock: 'clock_x'"],
  [1, ['clock', 'advance', '--to-next', '--test-clock', 'clock_x'], "No such test clock: 'clock_x'"],
  [1, ['clock', 'freeze', '--test-clock', 'clock_x'], 'A test clock is always frozen'],
] as const)('exit %i for %j', async (status, args, words) => {
  const failure = await fail(...args)
  expect(failure.status).toBe(status)
  expect(failure.stderr).toContain(words)
})
