import { FIELDS, type FieldName, fieldsOf } from './fields.ts'
import type { StripeElement, StripeError } from './types.ts'

type Handler = (event: never) => unknown

let made = 0

/**
 * A plain form in the place of an element of Stripe. It is part of the page, not of a frame. Its fields have no name, so that the
 * page never sends them.
 */
export class FormElement implements StripeElement {
  readonly type: string
  readonly #box = document.createElement('div')
  readonly #alert = document.createElement('p')
  readonly #inputs = new Map<FieldName, HTMLInputElement>()
  readonly #handlers = new Map<string, Set<Handler>>()
  readonly #onDestroy: () => void

  /** @throws Error for a type that paytwin does not have */
  constructor(type: string, onDestroy: () => void) {
    const fields = fieldsOf(type)
    this.type = type
    this.#onDestroy = onDestroy
    this.#alert.setAttribute('role', 'alert')
    Object.assign(this.#alert.style, { margin: '0', color: 'light-dark(#b3261e, #ff8a80)' })
    Object.assign(this.#box.style, { display: 'grid', gap: '.5rem', font: 'inherit' })
    this.#box.append(...fields.map((name) => this.#rowOf(name)), this.#alert)
    if (fields.includes('number')) this.#box.append(markOfTestMode())
  }

  #rowOf(name: FieldName): HTMLElement {
    const { label, autocomplete, placeholder, inputMode } = FIELDS[name]
    const input = document.createElement('input')
    made += 1
    Object.assign(input, { id: `paytwin-field-${made}`, autocomplete, placeholder, inputMode })
    Object.assign(input.style, {
      display: 'block',
      width: '100%',
      boxSizing: 'border-box',
      font: 'inherit',
      minHeight: '2.75rem',
    })
    input.addEventListener('input', () => this.#changed())
    input.addEventListener('focus', () => this.#emit('focus', {}))
    input.addEventListener('blur', () => this.#emit('blur', {}))
    const caption = document.createElement('label')
    Object.assign(caption, { htmlFor: input.id, textContent: label })
    const row = document.createElement('div')
    row.append(caption, input)
    this.#inputs.set(name, input)
    return row
  }

  #changed(): void {
    this.#show(undefined)
    const error = this.#errors()[0]
    const [email] = this.textsOf('email')
    this.#emit('change', {
      complete: error === undefined,
      empty: [...this.#inputs.values()].every(({ value }) => value === ''),
      value: email === undefined ? { type: 'card' } : { email },
      error: undefined,
    })
  }

  #errors(): StripeError[] {
    return [...this.#inputs].flatMap(([name, { value }]) => FIELDS[name].errorOf(value) ?? [])
  }

  #show(error: StripeError | undefined): void {
    this.#alert.textContent = error?.message ?? ''
  }

  /** Checks the fields, and shows their errors. @returns the first error; undefined if there is none */
  check(): StripeError | undefined {
    const [error] = this.#errors()
    this.#show(error)
    return error
  }

  /** Returns the text of a field, if the form has it. */
  textsOf(name: FieldName): string[] {
    const input = this.#inputs.get(name)
    return input ? [input.value.trim()] : []
  }

  #emit(event: string, content: object): void {
    for (const handler of [...(this.#handlers.get(event) ?? [])])
      handler({ elementType: this.type, ...content } as never)
  }

  mount(target: string | HTMLElement): void {
    const place = typeof target === 'string' ? document.querySelector(target) : target
    if (!place) throw new Error(`The page has no element '${target}' to mount '${this.type}' in`)
    place.replaceChildren(this.#box)
    // The page may add handlers right after it mounts the form.
    setTimeout(() => {
      this.#emit('loaderstart', {})
      this.#emit('ready', {})
    })
  }

  unmount(): void {
    this.#box.remove()
  }

  destroy(): void {
    this.unmount()
    this.#onDestroy()
  }

  focus(): void {
    const [first] = this.#inputs.values()
    first?.focus()
  }

  blur(): void {
    for (const input of this.#inputs.values()) input.blur()
  }

  clear(): void {
    for (const input of this.#inputs.values()) input.value = ''
    this.#show(undefined)
  }

  /** @param options - `disabled` disables the fields. The look of Stripe's own form does not apply. */
  update({ disabled }: Readonly<Record<string, unknown>>): this {
    if (typeof disabled === 'boolean') for (const input of this.#inputs.values()) input.disabled = disabled
    return this
  }

  collapse(): this {
    return this
  }

  on(event: string, handler: Handler): this {
    const handlers = this.#handlers.get(event) ?? new Set()
    this.#handlers.set(event, handlers.add(handler))
    return this
  }

  once(event: string, handler: Handler): this {
    const first: Handler = (content) => {
      this.off(event, first)
      return handler(content)
    }
    return this.on(event, first)
  }

  off(event: string, handler?: Handler): this {
    if (handler) this.#handlers.get(event)?.delete(handler)
    else this.#handlers.delete(event)
    return this
  }
}

function markOfTestMode(): HTMLElement {
  const mark = document.createElement('small')
  mark.textContent = 'TEST MODE · a form of paytwin for test cards'
  return mark
}
