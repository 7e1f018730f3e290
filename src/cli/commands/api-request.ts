import type { Command } from 'commander'
import { Refused } from '../../client/errors.ts'
import { MerchantApi, type MerchantRequest } from '../../client/merchant-api.ts'
import { belowV1 } from '../below-v1.ts'
import { addVerb } from '../command.ts'
import { wrongUsage } from '../failure.ts'
import type { Io } from '../io.ts'
import { resolveMerchant } from '../scope.ts'

type Options = {
  merchant?: string
  field?: readonly string[]
  idempotencyKey?: string
  apiVersion?: string
}

type Verb = {
  readonly method: MerchantRequest['method']
  readonly about: string
  readonly examples: readonly string[]
}

const verb =
  ({ method, about, examples }: Verb) =>
  (program: Command, io: Io): void =>
    addVerb<Options>(program, io, {
      usage: `${method.toLowerCase()} <PATH>`,
      about: `${about} Prints the response as JSON; an error too, with exit status 1.`,
      arguments: { PATH: 'the path of the API, such as /v1/customers; /v1/ can be omitted' },
      options: (command) => {
        command
          .option(
            '-d, --field <NAME=VALUE>',
            'a parameter, as in a form: -d items[0][price]=price_pro; can be repeated',
            (field: string, fields: readonly string[] = []) => [...fields, field],
          )
          .option('--merchant <ID>', 'the merchant; required with several merchants')
          .option('--api-version <DATE>', 'the API version of the request')
        return method === 'GET'
          ? command
          : command.option('--idempotency-key <KEY>', 'makes the request safe to repeat')
      },
      examples,
      run: async ({ client, out }, options, [path = '']) => {
        const request: MerchantRequest = {
          method,
          path: belowV1(path),
          params: new URLSearchParams((options.field ?? []).map(pairOf)),
          headers: {
            ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
            ...(options.apiVersion !== undefined && { 'x-api-version': options.apiVersion }),
          },
        }
        const merchant = await resolveMerchant(client, options.merchant)
        try {
          out.json(await new MerchantApi(client.address, merchant).send(request))
        } catch (error) {
          // An error has more fields than its message, such as the declined payment intent. A 401 concerns the admin token.
          if (error instanceof Refused && error.status !== 401) out.json(error.body)
          throw error
        }
      },
    })

/** `paytwin get`. */
export const getCommand = verb({
  method: 'GET',
  about: 'Send a GET request to the API as a merchant, without its key.',
  examples: ['paytwin get /v1/customers', 'paytwin get /v1/subscriptions -d status=past_due -d limit=100'],
})

/** `paytwin post`. */
export const postCommand = verb({
  method: 'POST',
  about: 'Send a POST request to the API as a merchant, without its key.',
  examples: [
    'paytwin post /v1/customers -d email=ada@example.com -d metadata[team]=blue',
    'paytwin post /v1/subscriptions/sub_0123456789abcd -d cancel_at_period_end=true',
  ],
})

/** `paytwin delete`. */
export const deleteCommand = verb({
  method: 'DELETE',
  about: 'Send a DELETE request to the API as a merchant, without its key.',
  examples: ['paytwin delete /v1/subscriptions/sub_0123456789abcd'],
})

/** Splits `name=value`. @throws Failure 2 */
function pairOf(field: string): [name: string, value: string] {
  const place = field.indexOf('=')
  if (place < 1) throw wrongUsage(`-d '${field}' is not a parameter: use name=value, such as -d limit=3.`)
  return [field.slice(0, place), field.slice(place + 1)]
}
