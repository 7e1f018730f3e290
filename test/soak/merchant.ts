import type { Body } from '../twin.ts'
import type { Client } from './client.ts'

/** A merchant with every write that the daemon has acknowledged. */
export class Merchant {
  readonly id: string
  readonly key: string
  readonly customers = new Set<string>()
  readonly deleted = new Set<string>()
  readonly subscriptions = new Set<string>()
  readonly #client: Client
  #price = ''

  constructor(client: Client, { id, key }: { readonly id: string; readonly key: string }) {
    this.#client = client
    this.id = id
    this.key = key
  }

  read(path: string): Promise<Body> {
    return this.#client.read(this.key, path)
  }

  write(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Body> {
    return this.#client.write(this.key, method, path, body)
  }

  async prepare(): Promise<void> {
    const recurring = { interval: 'day' }
    const price = await this.write('POST', '/v1/prices', { unit_amount: 2000, currency: 'usd', recurring })
    this.#price = price.id
  }

  /** Creates a customer with a daily subscription. @returns their ids */
  async subscribe(card: string): Promise<{ customer: string; subscription: string }> {
    const customer = await this.write('POST', '/v1/customers', { name: 'Ada' })
    this.customers.add(customer.id)
    const subscription = await this.write('POST', '/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      items: [{ price: this.#price }],
      default_payment_method: card,
    })
    this.subscriptions.add(subscription.id)
    return { customer: customer.id, subscription: subscription.id }
  }

  async delete(customer: string): Promise<void> {
    await this.write('DELETE', `/v1/customers/${customer}`)
    this.deleted.add(customer)
  }

  /** Sends a write that is not retried. @returns the status of the response */
  async tryWrite(path: string, body: object): Promise<number> {
    const response = await this.#client.ask(this.key, 'POST', path, body)
    if (response.status === 201 && response.body.object === 'customer') this.customers.add(response.body.id)
    return response.status
  }

  /** All entries of a list, newest first, a page at a time. */
  async *list(path: string): AsyncGenerator<Body> {
    for (let cursor = ''; ; ) {
      const { data, has_more } = await this.read(
        `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&starting_after=${cursor}`}`,
      )
      yield* data
      if (!has_more) return
      cursor = data.at(-1).id
    }
  }
}
