import type { TimelineJobShape as TimelineJob } from '../http/schemas/timeline.ts'
import { describeJob } from './job-texts.ts'
import { grouped, type Moment, type Namer, type Note, note } from './note.ts'

/** Groups upcoming jobs by instant. */
export const futureMoments = (jobs: readonly TimelineJob[], name: Namer, maxAttempts: number): Moment[] =>
  [...grouped(jobs, ({ due }) => due)].map(([at, together]) => ({
    at,
    notes: together.map((job) => futureNote(job, name, maxAttempts)),
    isTroubled: false,
  }))

const futureNote = (job: TimelineJob, name: Namer, maxAttempts: number): Note => {
  const [first = '', ...rest] = describeJob(job, maxAttempts)
  return note(job.projected ? '◌' : '○', [`${name(job.subscription)}${first}`, ...rest], {
    colour: 'dim',
  })
}
