/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { FormToken } from './form-token.tsx'

type Props = {
  readonly action: string
  readonly formToken: string
  readonly label: string
  /** The accessible name of the button, which names the object too. It begins with the label. */
  readonly name?: string
  readonly isDangerous?: boolean
  readonly isPrimary?: boolean
  /** The fields before the button. */
  readonly children?: Child
  readonly class?: string | undefined
}

/** A form with a button that changes something. */
export const PostForm = ({
  action,
  formToken,
  label,
  name,
  isDangerous = false,
  isPrimary = false,
  children,
  class: look,
}: Props) => (
  <form method="post" action={action} class={look}>
    <FormToken value={formToken} />
    {children}
    <button
      type="submit"
      class={isDangerous ? 'danger' : isPrimary ? 'primary' : undefined}
      aria-label={name}
    >
      {label}
    </button>
  </form>
)
