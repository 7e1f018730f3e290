/** @jsxImportSource hono/jsx */
import { thousands } from '../text/display.ts'

type Props = {
  readonly name: string
  readonly value: number
  readonly isBad?: boolean
  /** The list of what is counted, if there is one. */
  readonly href?: string
}

/** A number with its name, within a list of class `figures`. */
export const Figure = ({ name, value, isBad = false, href }: Props) => (
  <div class={isBad ? 'bad' : undefined}>
    <dt>{name}</dt>
    <dd>
      {href === undefined ? (
        thousands(value)
      ) : (
        <a class="to-list" href={href} aria-label={`${name}: ${thousands(value)}`}>
          {thousands(value)}
        </a>
      )}
    </dd>
  </div>
)
