import { FormElement } from './element.ts'
import { expiryOf, fieldsOf } from './fields.ts'
import type { StripeElement, StripeElements, StripeError } from './types.ts'

type Options = Readonly<Record<string, unknown>>

/** The forms of a page that together describe one payment method. */
export class FormElements implements StripeElements {
  #options: Options
  readonly #forms = new Map<string, FormElement>()
  readonly #updated = new Set<() => unknown>()

  constructor(options: Options) {
    this.#options = options
  }

  get clientSecret(): unknown {
    return this.#options.clientSecret
  }

  create(type: string, options: Options = {}): StripeElement {
    fieldsOf(type)
    if (this.#forms.has(type)) throw new Error(`Only one element of type '${type}' can be created`)
    const form = new FormElement(type, () => this.#forms.delete(type))
    this.#forms.set(type, form)
    GROUPS.set(form, this)
    return form.update(options)
  }

  /** @param type - the name of a type, or a component of React that shows it */
  getElement(type: unknown): StripeElement | null {
    const component = type as { readonly __elementType?: string } | string
    const name = typeof component === 'string' ? component : component.__elementType
    return this.#forms.get(name ?? '') ?? null
  }

  async update(options: Options): Promise<void> {
    this.#options = { ...this.#options, ...options }
    for (const handler of this.#updated) handler()
  }

  async fetchUpdates(): Promise<{ readonly error?: undefined }> {
    return {}
  }

  on(event: string, handler: () => unknown): void {
    if (event === 'update-end') this.#updated.add(handler)
  }

  async submit() {
    const error = this.check()
    return error ? { error } : { selectedPaymentMethod: 'card' }
  }

  /** Checks the forms, and shows their errors. @returns the first error; undefined if there is none */
  check(): StripeError | undefined {
    const [error] = [...this.#forms.values()].flatMap((form) => form.check() ?? [])
    return error
  }

  /** Returns the card in the forms as the API takes it. @throws Error if no form has a card */
  card(): object {
    const forms = [...this.#forms.values()]
    const [number, expiry, cvc] = (['number', 'expiry', 'cvc'] as const).map(
      (name) => forms.flatMap((form) => form.textsOf(name))[0],
    )
    if (number === undefined) throw new Error('The page has no element with a card number')
    return { number: number.replaceAll('-', ' '), cvc, ...expiryOf(expiry ?? '') }
  }

  /** The billing details that the forms have. */
  billingDetails(): object {
    const [email] = [...this.#forms.values()].flatMap((form) => form.textsOf('email'))
    return { email }
  }
}

const GROUPS = new WeakMap<object, FormElements>()

/** Returns the forms to which an element belongs. @throws Error for another value */
export function groupOf(element: unknown): FormElements {
  if (element instanceof FormElements) return element
  const group = typeof element === 'object' && element !== null ? GROUPS.get(element) : undefined
  if (!group) throw new Error('Expected an element that paytwin/stripe-js has created')
  return group
}
