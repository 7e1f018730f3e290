/** @jsxImportSource hono/jsx */
import type { Snapshot, SnapshotDifferences } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { thousands } from '../text/display.ts'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { ObjectLink } from './object-link.tsx'
import { PostForm } from './post-form.tsx'
import { Empty, Panel, Scroll, Status } from './text.tsx'

type Props = Pick<PageContext, 'base' | 'formToken'> & { readonly snapshots: readonly Snapshot[] }

/** The snapshots, and a form that saves one. */
export const SnapshotsPanel = ({ base, formToken, snapshots }: Props) => (
  <Panel title="Snapshots">
    {snapshots.length === 0 ? (
      <Empty>No snapshots. One holds the whole sandbox, with all merchants.</Empty>
    ) : null}
    <ul class="rows">
      {snapshots.map(({ name, created, size }) => {
        const of = encodeURIComponent(name)
        return (
          <li>
            <span>
              {name}
              <small>
                <Time at={created} /> (wall clock), {Math.ceil(size / 1_024)} KiB
              </small>
            </span>
            <span class="buttons">
              <a class="button" href={`${base}/scenes/compare/${of}`} aria-label={`Compare ${name} with now`}>
                Compare
              </a>
              <PostForm
                action={`${base}/scenes/restore/${of}`}
                formToken={formToken}
                label="Restore"
                name={`Restore ${name}`}
              />
              <PostForm
                action={`${base}/scenes/delete-snapshot/${of}`}
                formToken={formToken}
                label="Delete"
                name={`Delete ${name}`}
                isDangerous
              />
            </span>
          </li>
        )
      })}
    </ul>
    <PostForm
      action={`${base}/scenes/snapshots`}
      formToken={formToken}
      label="Save"
      name="Save the snapshot"
      class="stack"
    >
      <label>
        Name of the snapshot
        <input
          name="name"
          required
          maxlength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          placeholder="before-renewal"
        />
      </label>
    </PostForm>
  </Panel>
)

/** Shows which objects differ between the present state and a snapshot. @throws ApiError */
export async function showDifferences(context: PageContext, name: string): Promise<Response> {
  const { api, base, merchant } = context
  const { counts, data, has_more } = await api.get<SnapshotDifferences>(
    `snapshots/${encodeURIComponent(name)}/differences`,
  )
  const kinds = Object.entries(counts)
  return framed(context, {
    title: `Now, compared with ${name}`,
    content:
      kinds.length === 0 ? (
        <p class="notice good" role="status">
          No object differs from the snapshot.
        </p>
      ) : (
        <>
          <Panel title="Objects that differ">
            <Scroll label="Objects that differ, by kind">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Kind</th>
                    <th scope="col" class="number">
                      Created
                    </th>
                    <th scope="col" class="number">
                      Changed
                    </th>
                    <th scope="col" class="number">
                      Removed
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {kinds.map(([kind, { created, changed, removed }]) => (
                    <tr>
                      <td>{kind.replaceAll('_', ' ')}</td>
                      {[created, changed, removed].map((count) => (
                        <td class="number">{thousands(count)}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </Panel>
          <Panel title={has_more ? `The first ${thousands(data.length)} of them` : 'Which'}>
            <ul class="rows">
              {data.map(({ object, id, change, merchant_id }) => (
                <li>
                  <span>
                    {object.replaceAll('_', ' ')}{' '}
                    {change !== 'removed' && merchant_id === merchant.id ? (
                      <ObjectLink base={base} object={object} id={id} />
                    ) : (
                      <code>{id}</code>
                    )}
                    {merchant_id === null || merchant_id === merchant.id ? null : (
                      <small>{merchant_id}</small>
                    )}
                  </span>
                  <Status status={change} />
                </li>
              ))}
            </ul>
          </Panel>
        </>
      ),
  })
}
