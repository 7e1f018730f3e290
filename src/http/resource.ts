import type { Kind, Objects } from '../core/change.ts'
import { resourceMissing } from '../core/errors.ts'
import type { View } from '../engine/view.ts'

/**
 * Presents the fields that every resource has. Presenters of objects with a dozen or more fields write them out instead:
 * spreading into so many fields gives a slow dictionary object in V8. So do presenters of objects that appear many times in an
 * answer.
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

/** Makes the deletion stub of an object. See docs/contract/requests.md#deletion-stubs. */
export const deletedStub = <const Name extends string>(object: Name, id: string) => ({
  id,
  object,
  deleted: true as const,
  livemode: false,
})

/** Returns the object of the id in the path; also a deleted customer. @throws ApiError resource_missing, param id */
export function retrieve<K extends Kind>(view: View, kind: K, id: string): Objects[K] {
  const object = view.get(kind, id)
  const isGone = kind !== 'customer' && object !== undefined && 'deleted' in object && object.deleted
  if (!object || isGone) throw resourceMissing(kind.replaceAll('_', ' '), id)
  return object
}
