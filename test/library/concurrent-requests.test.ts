import { expect, test, vi } from 'vitest'
import { createPaytwin } from '../../src/index.ts'

/** Flows that run at the same time, and that take different numbers of requests. */
async function namesInOrder(): Promise<string[]> {
  const twin = await createPaytwin()
  const create = (name: string) => twin.post<{ id: string }>('/v1/customers', { name })
  const rename = async (name: string) =>
    twin.post(`/v1/customers/${(await create(`${name} at first`)).id}`, { name })
  const createLater = async (name: string) => {
    await twin.get('/v1/customers?limit=100')
    return create(name)
  }
  const flows = Array.from({ length: 20 }, (_, at) => [
    createLater(`after a read ${at}`),
    create(`at once ${at}`),
    rename(`renamed ${at}`),
    twin.get('/v1/events'),
  ])
  await Promise.all(flows.flat())
  const events = await twin.events.list()
  await twin.close()
  return events.map(({ type, data }) => `${type} ${'name' in data.object ? data.object.name : ''}`)
}

test('concurrent requests run in one order, however slow the machine is', async () => {
  const order = await namesInOrder()
  let seconds = 0
  vi.spyOn(process, 'hrtime').mockImplementation(() => {
    seconds += 1
    return [seconds, 0]
  })
  expect(await namesInOrder()).toEqual(order)
  expect(order).toHaveLength(80)
})
