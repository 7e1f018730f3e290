import type { Recorder } from './recorder.ts'

/** Records the routes of snapshots, the deletion of a merchant and the reset. Runs last, because it removes the data. */
export async function recordState(recorder: Recorder): Promise<void> {
  await recorder.post('/_paytwin/snapshots', { name: 'before-renewal' })
  await recorder.get('/_paytwin/snapshots')
  await recorder.get('/_paytwin/snapshots/before-renewal/differences')
  await recorder.post('/_paytwin/snapshots/before-renewal/restore')
  await recorder.delete('/_paytwin/snapshots/before-renewal')
  const { data } = await recorder.get('/_paytwin/merchants')
  await recorder.delete(`/_paytwin/merchants/${data.at(-1).id}`)
  await recorder.post('/_paytwin/reset')
}
