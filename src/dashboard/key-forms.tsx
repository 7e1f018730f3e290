/** @jsxImportSource hono/jsx */
import type { Key } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { given } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { CopyButton, Empty, Panel, Status } from './text.tsx'

type Props = Pick<PageContext, 'base' | 'formToken'> & { readonly keys: readonly Key[] }

/** The newest keys of the merchant, and a form that creates one. */
export const KeysPanel = ({ base, formToken, keys }: Props) => (
  <Panel title="API keys">
    {keys.length === 0 ? <Empty>No keys. Applications need one to use the API.</Empty> : null}
    <ul class="rows">
      {keys.map(({ id, type, name, hint, created, last_used, revoked }) => (
        <li>
          <span>
            <code>{hint}</code> <bdi>{name ?? ''}</bdi>
            <small>
              {type}, created <Time at={created} />
              {last_used === null ? ', not used yet' : null}
            </small>
          </span>
          {revoked ? (
            <Status status="revoked" />
          ) : (
            <PostForm
              action={`${base}/scenes/revoke-key/${encodeURIComponent(id)}`}
              formToken={formToken}
              label="Revoke"
              name={`Revoke ${hint}`}
              isDangerous
            />
          )}
        </li>
      ))}
    </ul>
    <PostForm
      action={`${base}/scenes/keys`}
      formToken={formToken}
      label="Create"
      name="Create the key"
      class="stack"
    >
      <label>
        Name of the key
        <input name="name" maxlength={255} />
      </label>
      <label>
        Type of the key
        <select name="type">
          <option value="secret">secret, for servers</option>
          <option value="publishable">publishable, for browsers</option>
        </select>
      </label>
    </PostForm>
  </Panel>
)

/** Creates a key, and shows it only in the response, so that no page in the browser's history has it. @throws ApiError */
export async function createKey(context: PageContext): Promise<Response> {
  const { api, form, merchant, base } = context
  const { secret, hint } = await api.post<Key>('keys', {
    merchant: merchant.id,
    name: given(form, 'name'),
    publishable: form.get('type') === 'publishable',
  })
  return framed(context, {
    title: 'The key was created',
    content: (
      <>
        <p class="notice good" role="status">
          Copy the key now: it is not shown again. Later, lists show it as {hint}.
        </p>
        <Panel title="New key" more={<CopyButton of="key" />}>
          <section aria-label="New key">
            <pre id="key" data-secret="">
              {secret}
            </pre>
          </section>
        </Panel>
        <p>
          <a href={`${base}/scenes`}>Back to the scenes</a>
        </p>
      </>
    ),
  })
}
