/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { indentedJson, toJson } from '../text/display.ts'

/** The color of a status. The page always shows the word too, because colors alone do not suffice. */
export type Tone = 'good' | 'bad' | 'wait' | 'off'

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  trialing: 'good',
  paid: 'good',
  succeeded: 'good',
  enabled: 'good',
  past_due: 'bad',
  unpaid: 'bad',
  incomplete: 'bad',
  incomplete_expired: 'off',
  uncollectible: 'bad',
  failed: 'bad',
  requires_payment_method: 'bad',
  open: 'wait',
  pending: 'wait',
  processing: 'wait',
  requires_action: 'wait',
  requires_confirmation: 'wait',
  requires_capture: 'wait',
  paused: 'wait',
}

/** Returns the color of a status: `off` for final and unknown ones. */
const toneOf = (status: string): Tone => (Object.hasOwn(TONES, status) ? TONES[status] : undefined) ?? 'off'

export const Status = ({ status }: { status: string }) => (
  <span class={`status ${toneOf(status)}`}>{status.replaceAll('_', ' ')}</span>
)

/** A section of a page with a heading. */
export const Panel = ({
  title,
  children,
  more,
  part,
}: {
  title: string
  children?: Child
  more?: Child
  /** Its name, if the script keeps it live. */
  part?: string
}) => (
  <section class="panel" data-part={part}>
    <header>
      <h2>{title}</h2>
      {more}
    </header>
    {children}
  </section>
)

/** A text in one line. Its end is cut off if it is too long for the screen. */
export const Cut = ({ text }: { text: string }) => (
  <span class="cut" title={text}>
    {text}
  </span>
)

/** The text of a list without rows. */
export const Empty = ({ children }: { children?: Child }) => <p class="empty">{children}</p>

/** A table that scrolls sideways on small screens, also with the keyboard. */
export const Scroll = ({ label, children }: { label: string; children?: Child }) => (
  <section class="table" aria-label={label} tabindex={0}>
    {children}
  </section>
)

/** A value as JSON. Long lines are wrapped. */
export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <section aria-label={label}>
    <pre>{toJson(value, 2)}</pre>
  </section>
)

/** The fields of an object, as names and values. */
export const Fields = ({ fields }: { fields: readonly (readonly [name: string, value: Child])[] }) => (
  <dl class="fields">
    {fields.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The body of a message: indented if it is JSON, otherwise as it is. */
export const Body = ({ text, label }: { text: string; label: string }) => (
  <section aria-label={label}>
    <pre>{indentedJson(text)}</pre>
  </section>
)

/** A button that copies the text of an element. The script shows it where the browser allows copying. */
export const CopyButton = ({ of }: { of: string }) => (
  <button type="button" class="quiet" data-copies={of} hidden>
    Copy
  </button>
)
