/** @jsxImportSource hono/jsx */
import type { Explanation } from '../client/types.ts'
import { kindOfId } from '../core/kinds.ts'
import { withInstants } from '../http/html/time.tsx'
import { ObjectLink } from './object-link.tsx'
import { Panel } from './text.tsx'

/** Says in sentences why an object is in its status, and what will happen to it, with links to the contract. */
export const Why = ({ base, explanation }: { base: string; explanation: Explanation }) => (
  <Panel title="Why?" part="why">
    <ul class="why">
      {explanation.sentences.map(({ part, text, url, rule, object }) => (
        <li>
          <p class={part === 'status' ? 'cause' : undefined}>{withInstants(text)}</p>
          <small>
            {object === null ? null : <ObjectLink base={base} object={kindOfId(object) ?? ''} id={object} />}{' '}
            <a href={pathOf(url)}>{headingOf(rule)}</a>
          </small>
        </li>
      ))}
    </ul>
  </Panel>
)

/** Returns the path of a URL, because the browser may use another address of the daemon. */
function pathOf(url: string): string {
  const { pathname, hash } = new URL(url)
  return pathname + hash
}

/** Names a rule: `invoices.md#retry-schedule` → Contract: invoices, retry schedule. */
function headingOf(rule: string): string {
  const [page = '', heading = ''] = rule.replace('.md', '').replaceAll('-', ' ').split('#')
  return `Contract: ${page}, ${heading}`
}
