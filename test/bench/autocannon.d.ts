/** The part of autocannon that the bench uses. The package has no types. */
declare module 'autocannon' {
  namespace autocannon {
    type Request = {
      readonly method?: string
      readonly path?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
    type Client = { setRequests(requests: readonly Request[]): void }
    type Options = {
      readonly url: string
      readonly connections: number
      /** In seconds. */
      readonly duration: number
      readonly setupClient: (client: Client) => void
    }
    type Result = {
      readonly '2xx': number
      readonly non2xx: number
      readonly errors: number
      /** The actual duration in seconds. */
      readonly duration: number
    }
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>
  export = autocannon
}
