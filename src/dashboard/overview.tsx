/** @jsxImportSource hono/jsx */
import type { List, Upcoming } from '../client/types.ts'
import { jobName } from '../timeline/job-texts.ts'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { ObjectLink } from './object-link.tsx'
import { Empty, Panel, Time } from './text.tsx'

/** How many jobs the overview lists. */
const MAX_JOBS = 8

/** The first page of a merchant: what there is, what went wrong, and what comes next. */
export async function overviewPage(context: PageContext): Promise<Response> {
  const { api, merchant, base } = context
  const upcoming = await api.get<List<Upcoming>>('upcoming', { merchant: merchant.id, limit: MAX_JOBS })
  return framed(context, {
    title: 'Overview',
    content: (
      <Panel title="What is due next">
        {upcoming.data.length === 0 ? (
          <Empty>Nothing is due.</Empty>
        ) : (
          <div class="table">
            <table>
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Job</th>
                  <th scope="col">Object</th>
                </tr>
              </thead>
              <tbody>
                {upcoming.data.map(({ due, kind, subscription, invoice }) => (
                  <tr>
                    <td>
                      <Time at={due} />
                    </td>
                    <td>{jobName(kind)}</td>
                    <td>
                      {subscription === null ? null : (
                        <ObjectLink base={base} object="subscription" id={subscription} />
                      )}
                      {subscription === null && invoice !== null ? (
                        <ObjectLink base={base} object="invoice" id={invoice} />
                      ) : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    ),
  })
}
