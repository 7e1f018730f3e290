/** @jsxImportSource hono/jsx */
import { ACTION, PROMOTION_CODE, quantityName } from './checkout-entry.ts'
import { FieldError } from './field.tsx'

/** The summary of a session: its lines and totals. All amounts and dates are formatted for the customer. */
export type CheckoutSummary = {
  readonly heading: string
  /** The main amount; null if nothing is sold. */
  readonly headline: string | null
  readonly notes: readonly string[]
  readonly lines: readonly SummaryLine[]
  /** The rows between the lines and the total, such as the subtotal and the discounts. */
  readonly rows: readonly (readonly [label: string, amount: string])[]
  readonly total: readonly [label: string, amount: string] | null
  /** The promotion code that is applied; null for none. */
  readonly appliedCode: string | null
  readonly takesCode: boolean
  /** The address of the link `Back`; null for no link. */
  readonly cancel_url: string | null
}

export type SummaryLine = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /** What a unit costs, with the quantity if the customer cannot change it. */
  readonly price: string
  /** null for a metered price. */
  readonly quantity: number | null
  readonly adjustable: { readonly minimum: number; readonly maximum: number } | null
  /** The amount that is billed now. */
  readonly amount: string
}

type Answered = {
  readonly promotion: { readonly code: string; readonly error: string } | undefined
  readonly quantityErrors: Readonly<Record<string, string>> | undefined
}

/** Shows the lines and totals, with the controls that change them. */
export function Summary({
  summary,
  promotion,
  quantityErrors = {},
}: Answered & { summary: CheckoutSummary }) {
  const { heading, headline, notes, lines, rows, total, cancel_url } = summary
  const isOnly = lines.filter(({ adjustable }) => adjustable !== null).length === 1
  return (
    <section class="summary" aria-labelledby="summary">
      {cancel_url === null ? null : (
        <a class="back" href={cancel_url} rel="noreferrer">
          <span aria-hidden="true">←</span> Back
        </a>
      )}
      <h1 id="summary">{heading}</h1>
      {headline === null ? null : <p class="headline">{headline}</p>}
      {notes.map((note) => (
        <p class="faint">{note}</p>
      ))}
      {lines.length === 0 ? null : (
        <ul class="rows lines">
          {lines.map((line) => (
            <Line line={line} isOnly={isOnly} error={quantityErrors[line.id]} />
          ))}
        </ul>
      )}
      {total === null ? null : (
        <>
          <PromotionCode {...summary} promotion={promotion} />
          <dl class="rows totals">
            {rows.map(([label, amount]) => (
              <div class="row">
                <dt>{label}</dt>
                <dd class="number">{amount}</dd>
              </div>
            ))}
            <div class="row total">
              <dt>{total[0]}</dt>
              <dd class="number">{total[1]}</dd>
            </div>
          </dl>
        </>
      )}
    </section>
  )
}

function Line({ line, isOnly, error }: { line: SummaryLine; isOnly: boolean; error: string | undefined }) {
  const { id, name, description, price, quantity, adjustable, amount } = line
  return (
    <li>
      <div>
        <b>{name}</b>
        {description === null ? null : <small>{description}</small>}
        {price === amount ? null : <small>{price}</small>}
        {adjustable === null ? null : (
          <Quantity {...{ id, name, quantity, isOnly, error }} limits={adjustable} />
        )}
      </div>
      <span class="number">{amount}</span>
    </li>
  )
}

function Quantity(given: {
  id: string
  name: string
  quantity: number | null
  limits: { readonly minimum: number; readonly maximum: number }
  isOnly: boolean
  error: string | undefined
}) {
  const { id, name, quantity, limits, isOnly, error } = given
  const field = quantityName(id)
  return (
    <div class="quantity">
      <label for={field}>Quantity{isOnly ? null : <span class="unseen"> of {name}</span>}</label>
      <input
        id={field}
        name={field}
        type="number"
        inputmode="numeric"
        min={limits.minimum}
        max={limits.maximum}
        value={quantity ?? ''}
        autocomplete="off"
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={error === undefined ? undefined : `${field}-error`}
      />
      <button type="submit" class="small" name={ACTION} value="update">
        Update{isOnly ? null : <span class="unseen"> the quantity of {name}</span>}
      </button>
      <FieldError name={field} error={error} />
    </div>
  )
}

function PromotionCode({
  takesCode,
  appliedCode,
  promotion,
}: Pick<CheckoutSummary, 'takesCode' | 'appliedCode'> & Pick<Answered, 'promotion'>) {
  if (!takesCode) return null
  if (appliedCode !== null) {
    return (
      <p class="applied">
        <span>
          Promotion code <b>{appliedCode}</b>
        </span>
        <button type="submit" class="quiet" name={ACTION} value="remove">
          Remove
        </button>
      </p>
    )
  }
  return (
    <div class="promotion">
      <label for="promotion_code">Promotion code</label>
      <div class="joined">
        <input
          id="promotion_code"
          name={PROMOTION_CODE}
          value={promotion?.code ?? ''}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxlength={200}
          autofocus={promotion !== undefined}
          aria-invalid={promotion ? 'true' : undefined}
          aria-describedby={promotion ? 'promotion_code-error' : undefined}
        />
        <button type="submit" name={ACTION} value="apply">
          Apply
        </button>
      </div>
      <FieldError name={PROMOTION_CODE} error={promotion?.error} />
    </div>
  )
}
