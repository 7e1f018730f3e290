import { parameterInvalid } from '../../core/errors.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { updatePrice } from './price.ts'

type Claim = {
  /** The price that is to have the key; undefined for a new one. */
  readonly price?: string
  /** Whether the key is taken from the price that has it. */
  readonly transfers: boolean
}

/**
 * Makes sure that no other price has a lookup key, so that a price can get it.
 * @throws ApiError parameter_invalid, param lookup_key, if another price has it and it is not transferred
 */
export function claimLookupKey(
  unit: UnitOfWork,
  key: string | null | undefined,
  { price, transfers }: Claim,
): void {
  if (key === null || key === undefined) return
  const holders = unit.store.objects
    .list('price', unit.owner, [{ field: 'lookup_key', is: key }], { limit: Number.MAX_SAFE_INTEGER })
    .filter(({ id }) => id !== price)
  for (const { id } of holders) {
    if (!transfers)
      throw parameterInvalid(
        'lookup_key',
        `The price '${id}' has the lookup key '${key}'. Give transfer_lookup_key=true to move the key`,
      )
    updatePrice(unit, id, { lookup_key: null })
  }
}
