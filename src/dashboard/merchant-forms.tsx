/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { DIALECTS } from '../core/dialect.ts'
import { DASHBOARD_PATH } from '../http/dashboard/access.ts'
import type { PageContext } from './context.ts'
import { PostForm } from './post-form.tsx'
import { Panel } from './text.tsx'

const DIALECT_NAMES: Readonly<Record<(typeof DIALECTS)[number], string>> = {
  paytwin: 'paytwin’s own API',
  stripe: 'Stripe’s API',
}

/** The merchants, a form that creates one, and the reset of all data. */
export const MerchantsPanel = ({
  base,
  formToken,
  merchants,
}: Pick<PageContext, 'base' | 'formToken' | 'merchants'>) => (
  <>
    <Panel title="Merchants">
      <ul class="rows">
        {merchants.map(({ id, name, dialect }, index) => (
          <li>
            <span>
              <a href={`${DASHBOARD_PATH}/${encodeURIComponent(id)}/scenes`}>
                <bdi>{name}</bdi>
              </a>
              <small>
                {DIALECT_NAMES[dialect]}, <code>{id}</code>
              </small>
            </span>
            {index === 0 ? (
              'default'
            ) : (
              <Confirmed summary="Delete…">
                <PostForm
                  action={`${base}/scenes/delete-merchant/${encodeURIComponent(id)}`}
                  formToken={formToken}
                  label="Delete with all its data"
                  name={`Delete with all its data: ${name}`}
                  isDangerous
                />
              </Confirmed>
            )}
          </li>
        ))}
      </ul>
      <PostForm
        action={`${base}/scenes/merchants`}
        formToken={formToken}
        label="Create"
        name="Create the merchant"
        class="stack"
      >
        <label>
          Name of the merchant
          <input name="name" required maxlength={255} />
        </label>
        <label>
          API
          <select name="dialect">
            {DIALECTS.map((dialect) => (
              <option value={dialect}>{DIALECT_NAMES[dialect]}</option>
            ))}
          </select>
        </label>
        <label>
          Clock (UTC), or empty for the real time
          <input type="datetime-local" name="clock" step="1" />
        </label>
      </PostForm>
    </Panel>
    <Panel title="Reset">
      <p>
        A reset replaces the data of all merchants by those of the first start. Snapshots, and the keys of the
        default merchant, are kept.
      </p>
      <Confirmed summary="Reset…">
        <PostForm action={`${base}/scenes/reset`} formToken={formToken} label="Reset all data" isDangerous />
      </Confirmed>
    </Panel>
  </>
)

/** An action that takes two clicks, so that it does not happen by accident. */
const Confirmed = ({ summary, children }: { summary: string; children?: Child }) => (
  <details class="confirmed">
    <summary>{summary}</summary>
    {children}
  </details>
)
