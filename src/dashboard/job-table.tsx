/** @jsxImportSource hono/jsx */
import type { Upcoming } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { jobName } from '../timeline/job-texts.ts'
import { ObjectLink } from './object-link.tsx'
import { Scroll } from './text.tsx'

/** A table of the jobs that are due next. */
export const JobTable = ({ base, jobs }: { base: string; jobs: readonly Upcoming[] }) => (
  <Scroll label="Jobs">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Job</th>
          <th scope="col">Object</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map(({ due, kind, subscription, invoice }) => (
          <tr>
            <td>
              <Time at={due} />
            </td>
            <td>{jobName(kind)}</td>
            <td>
              {subscription !== null ? (
                <ObjectLink base={base} object="subscription" id={subscription} />
              ) : invoice !== null ? (
                <ObjectLink base={base} object="invoice" id={invoice} />
              ) : (
                '–'
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
