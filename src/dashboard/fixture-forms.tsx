/** @jsxImportSource hono/jsx */
import basic from '../../fixtures/default.json' with { type: 'json' }
import tour from '../../fixtures/tour.json' with { type: 'json' }
import type { Fixtures } from '../client/types.ts'
import { parameterInvalid } from '../core/errors.ts'
import { sizeError } from '../core/fixture-limits.ts'
import { thousands } from '../text/display.ts'
import { JsonSyntaxError, parseJsonText } from '../text/json-text.ts'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'
import { ObjectLink } from './object-link.tsx'
import { given } from './pager.tsx'
import { PostForm } from './post-form.tsx'
import { Panel, Scroll } from './text.tsx'

/** The files that come with paytwin, by name. */
const SHIPPED: Readonly<Record<string, { readonly content: unknown; readonly about: string }>> = {
  'tour.json': {
    content: tour,
    about: 'three customers with a monthly price: one pays, two get into trouble',
  },
  'default.json': { content: basic, about: 'products, prices and a few customers' },
}
const PASTED = 'pasted.json'

/** Loads fixtures: one of the files that come with paytwin, or one that is pasted or chosen. */
export const FixturesPanel = ({ base, formToken }: Pick<PageContext, 'base' | 'formToken'>) => (
  <Panel title="Fixtures">
    <ul class="rows">
      {Object.entries(SHIPPED).map(([name, { about }]) => (
        <li>
          <span>
            {name}
            <small>{about}</small>
          </span>
          <PostForm
            action={`${base}/scenes/fixtures`}
            formToken={formToken}
            label="Load"
            name={`Load ${name}`}
          >
            <input type="hidden" name="shipped" value={name} />
          </PostForm>
        </li>
      ))}
    </ul>
    <PostForm
      action={`${base}/scenes/fixtures`}
      formToken={formToken}
      label="Load"
      name="Load the fixtures"
      class="stack"
    >
      <label>
        Fixtures as JSON
        <textarea name="content" rows={5} required spellcheck={false} />
      </label>
      {/* The script puts the content of the file into the field above. */}
      <label class="upload" hidden>
        or a file
        <input type="file" accept=".json,application/json" />
      </label>
    </PostForm>
    <p>
      Objects without a merchant of their own go to the default merchant. All are created or none.{' '}
      <a href="/docs">The documentation</a> describes the format.
    </p>
  </Panel>
)

/** Loads fixtures, and shows what was created. @throws ApiError */
export async function loadFixtures(context: PageContext): Promise<Response> {
  const { api, form, base } = context
  const { made, counts } = await api.postJson<Fixtures>('fixtures', { files: [fileOf(form)] })
  return framed(context, {
    title: 'The fixtures were loaded',
    content: (
      <>
        <p class="notice good" role="status">
          Created{' '}
          {Object.entries(counts)
            .map(
              ([kind, count]) => `${thousands(count)} ${kind.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`,
            )
            .join(', ')}
          . <a href={`${base}/scenes`}>Back to the scenes</a>
        </p>
        <Panel title="Created objects">
          <Scroll label="Created objects">
            <table>
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">Name</th>
                  <th scope="col">Object</th>
                  <th scope="col">Secret, shown only now</th>
                </tr>
              </thead>
              <tbody>
                {made.slice(0, MAX_SHOWN).map(({ object, ref, id, secret }) => (
                  <tr>
                    <td>{object.replaceAll('_', ' ')}</td>
                    <td>{ref ?? '–'}</td>
                    <td>
                      <ObjectLink base={base} object={object} id={id} />
                    </td>
                    <td>{secret === undefined ? '–' : <code data-secret="">{secret}</code>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {made.length > MAX_SHOWN ? <p>These are the first {MAX_SHOWN} objects.</p> : null}
        </Panel>
      </>
    ),
  })
}

const MAX_SHOWN = 200

function fileOf(form: URLSearchParams): { name: string; content: unknown } {
  const shipped = given(form, 'shipped')
  if (shipped !== undefined && Object.hasOwn(SHIPPED, shipped))
    return { name: shipped, content: SHIPPED[shipped]?.content }
  const text = form.get('content') ?? ''
  const error = sizeError(Buffer.byteLength(text))
  if (error) throw parameterInvalid(null, error)
  try {
    return { name: PASTED, content: parseJsonText(text) }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw parameterInvalid(null, error.in(PASTED))
  }
}
