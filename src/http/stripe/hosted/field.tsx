/** @jsxImportSource hono/jsx */

type Shown = {
  /** The name of the input, which is also its id. */
  readonly name: string
  readonly label: string
  readonly value: string
  readonly error?: string | undefined
  /** A hint below the field. */
  readonly hint?: string | undefined
  readonly hasFocus?: boolean
  readonly isRequired?: boolean
  readonly type?: 'text' | 'email' | 'tel' | 'number'
  readonly inputmode?: 'numeric' | 'tel'
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly maxlength?: number
  readonly min?: number
  readonly max?: number | undefined
}

/** A labelled input with its error, which screen readers read with the field. */
export function Field({
  name,
  label,
  value,
  error,
  hint,
  hasFocus = false,
  isRequired = false,
  type = 'text',
  autocomplete = 'off',
  ...more
}: Shown) {
  const notes = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ]
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        {...more}
        id={name}
        name={name}
        type={type}
        value={value}
        autocomplete={autocomplete}
        required={isRequired}
        autofocus={hasFocus}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={notes.length === 0 ? undefined : notes.join(' ')}
      />
      <FieldError name={name} error={error} />
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** The error of a field, which names it with `aria-describedby`. */
export const FieldError = ({ name, error }: { name: string; error: string | undefined }) =>
  error === undefined ? null : (
    <p class="error" id={`${name}-error`}>
      {error}
    </p>
  )
