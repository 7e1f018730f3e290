import { expect, test } from 'vitest'
import { noteOfCut } from '../../src/cli/cut-page.ts'
import { SCENE_TOOLS } from '../../src/cli/mcp/scene-tools.ts'
import type { Client } from '../../src/client/client.ts'
import { startTwin } from '../twin.ts'

const data = [{ id: 'evt_3' }, { id: 'evt_2' }]

test.each([
  ['after its last entry', { data, has_more: true }, { limit: 3 }, /Continue after evt_2 for older ones/],
  [
    'before its first entry',
    { data, has_more: true },
    { limit: 3, isBackward: true },
    /Continue before evt_3 for newer/,
  ],
])('a page that ends early continues %s', (_where, page, shape, expected) => {
  expect(noteOfCut(page, shape)).toMatch(expected)
})

test('whole pages and the last one have no note', () => {
  expect(noteOfCut({ data, has_more: true }, { limit: 2 })).toBeUndefined()
  expect(noteOfCut({ data, has_more: false }, { limit: 3 })).toBeUndefined()
})

test('list_events says that a list ends early', async () => {
  const twin = await startTwin()
  try {
    await twin.post('/v1/customers', { name: 'Ada' })
    const [event] = await twin.events()
    const tool = SCENE_TOOLS.find(({ name }) => name === 'list_events')
    const list = (given: object, has_more: boolean) =>
      tool?.run({ events: async () => ({ data: [event], has_more }) } as unknown as Client, given)
    const note = `Continue after ${event?.id} for older ones`
    expect(await list({ limit: 20 }, true)).toContain(note)
    expect(await list({ limit: 20, full: true }, true)).toEqual({
      events: [event],
      note: expect.stringContaining(note),
    })
    expect(await list({ limit: 20 }, false)).not.toContain('Continue')
    expect(await list({ limit: 1, full: true }, true)).toEqual([event])
  } finally {
    await twin.close()
  }
})
