import type { Kind, Objects } from '../core/change.ts'
import { resourceMissing } from '../core/errors.ts'
import type { View } from '../engine/view.ts'

/**
 * What every resource carries. It is written out where a dozen fields or more follow, for V8 makes a dictionary of what is spread
 * and then added to so much; and where one answer holds many of the kind.
 * See docs/contract/requests.md#resources.
 */
export const common = <const Name extends string>(
  { merchant }: View,
  object: Name,
  { id, created }: { id: string; created: number },
) => ({
  id,
  object,
  created,
  livemode: false,
  merchant_id: merchant.id,
})

/** What is left of a deleted object. See docs/contract/requests.md#deletion-stubs. */
export const deletedStub = <const Name extends string>(object: Name, id: string) => ({
  id,
  object,
  deleted: true as const,
  livemode: false,
})

/** An object named by a path; a deleted customer is still shown, as a stub. @throws ApiError resource_missing, param id */
export function retrieve<K extends Kind>(view: View, kind: K, id: string): Objects[K] {
  const object = view.get(kind, id)
  const isGone = kind !== 'customer' && object !== undefined && 'deleted' in object && object.deleted
  if (!object || isGone) throw resourceMissing(kind.replaceAll('_', ' '), id)
  return object
}
