/** @jsxImportSource hono/jsx */
import type { Snapshot } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext } from './context.ts'
import { PostForm } from './post-form.tsx'
import { Empty, Panel } from './text.tsx'

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
