import { isMainThread, Worker } from 'node:worker_threads'
import { createPaytwin } from 'paytwin'

const twin = await createPaytwin()
const { id } = await twin.post('/v1/customers')
if (isMainThread) {
  const workers = Array.from({ length: 4 }, () => new Worker(new URL(import.meta.url)))
  const statuses = await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))),
  )
  console.log(statuses.join(' '))
}
if ((await twin.events.list()).length !== 1 || !id) process.exitCode = 1
