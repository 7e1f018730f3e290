import { beforeAll, describe, expect, test } from 'vitest'
import { type Clock, ESCAPE, type List, NOW, NOW_SECONDS, withDaemon } from './command-line.ts'
import { subscribe } from './executable.ts'

describe('with several merchants', () => {
  const { daemon, json, text, fail } = withDaemon()
  let other = ''

  beforeAll(async () => {
    const made = await json<{ id: string }>(
      'merchants',
      'create',
      '--name',
      `Evil ${ESCAPE}[31m`,
      '--clock',
      NOW,
    )
    other = made.id
  })

  test('all are listed, without their control characters', async () => {
    expect((await json<List<{ id: string }>>('merchants', 'list')).data.map(({ id }) => id)).toEqual([
      daemon().merchant,
      other,
    ])
    const shown = await text('merchants', 'list')
    expect(shown).toContain(`${other}\tEvil \\u001b[31m\t${NOW}\tfrozen\t`)
    expect(shown).not.toContain(ESCAPE)
  })

  test.each([['advance', '1d'], ['freeze'], ['unfreeze'], ['cancel'], ['advance', '--to-next']])(
    'clock %s asks which one is meant, in one sentence: exit 2',
    async (...verb) => {
      const { status, stderr } = await fail('clock', ...verb)
      expect(status).toBe(2)
      expect(stderr).toMatch(
        /^error: There are 2 merchants \(.*\): choose one with --merchant, or use --all\.\n$/,
      )
      expect(stderr).toContain(daemon().merchant)
      expect(stderr).toContain(other)
    },
  )

  test('keys create needs --merchant: exit 2', async () => {
    expect((await fail('keys', 'create')).status).toBe(2)
    expect(await json('keys', 'create', '--merchant', other)).toMatchObject({ merchant_id: other })
  })

  test('one clock is advanced, or all of them', async () => {
    const one = await json<List<Clock>>('clock', 'advance', '1d', '--merchant', other)
    expect(one.data.map(({ merchant_id, now }) => [merchant_id, now])).toEqual([
      [other, NOW_SECONDS + 86_400],
    ])
    const both = await json<List<Clock>>('clock', 'advance', '1h', '--all')
    expect(both.data.map(({ now }) => now)).toEqual([NOW_SECONDS + 3600, NOW_SECONDS + 90_000])
    expect((await text('clock', 'show')).split('\n')).toHaveLength(3)
    expect((await json<List<Clock>>('clock', 'show', '--merchant', other)).data).toHaveLength(1)
  })

  test('if one clock cannot advance, none does: exit 1', async () => {
    const { status } = await fail('clock', 'advance', '--all', '--to', '2026-01-31T11:30:00Z')
    expect(status).toBe(1)
    expect((await json<List<Clock>>('clock', 'show')).data.map(({ now }) => now)).toEqual([
      NOW_SECONDS + 3600,
      NOW_SECONDS + 90_000,
    ])
  })

  test('events are of one merchant or of all', async () => {
    await subscribe(daemon())
    expect((await json<List<object>>('events', 'list', '--merchant', other)).data).toEqual([])
    expect((await json<List<object>>('events', 'list')).data.length).toBeGreaterThan(5)
  })
})
