import type { Recorder } from './recorder.ts'

/** The end of the story: a state is saved and restored, and in the end nothing of it is left. */
export async function tellOfState(told: Recorder): Promise<void> {
  await told.post('/_paytwin/snapshots', { name: 'before-renewal' })
  await told.get('/_paytwin/snapshots')
  await told.post('/_paytwin/snapshots/before-renewal/restore')
  await told.delete('/_paytwin/snapshots/before-renewal')
  const { data } = await told.get('/_paytwin/merchants')
  await told.delete(`/_paytwin/merchants/${data.at(-1).id}`)
  await told.post('/_paytwin/reset')
}
