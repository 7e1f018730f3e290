/** @jsxImportSource hono/jsx */
import { thousands } from '../text/display.ts'

/** A number with its name, within a list of class `figures`. */
export const Figure = ({ name, value, isBad = false }: { name: string; value: number; isBad?: boolean }) => (
  <div class={isBad ? 'bad' : undefined}>
    <dt>{name}</dt>
    <dd>{thousands(value)}</dd>
  </div>
)
