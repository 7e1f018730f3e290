import { resourceMissing } from '../core/errors.ts'
import { type Kind, nounOf, type Objects } from '../core/kinds.ts'
import type { View } from '../engine/history/view.ts'
import type { Api } from './api.ts'
import type { Json } from './json.ts'

/** How the API shows one kind of object. Its schema is the component with the kind's name: payment_method, PaymentMethod. */
export type Resource<K extends Kind> = {
  /** Its name in paths: `/v1/<collection>`. */
  readonly collection: string
  /** Presents an object with all fields, as in events. A deleted object has its last values. */
  readonly present: (view: View, object: Objects[K]) => Json
  /** Presents an object as in the response to a GET, if that is different. */
  readonly presentFound?: (view: View, object: Objects[K]) => Json
  readonly routes: (api: Api) => void
  /** Descriptions of parameters by path, `items.price` for nested ones. Others have the description of the response's field. */
  readonly params?: Readonly<Record<string, string>>
  /** Descriptions of query parameters whose name has another meaning in a body. */
  readonly queryParams?: Readonly<Record<string, string>>
}

/**
 * Presents the fields that every resource has. Presenters of objects with a dozen or more fields write them out instead:
 * spreading into so many fields gives a slow dictionary object in V8. So do presenters of objects that appear many times in a
 * response.
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
  if (!object || isGone) throw resourceMissing(nounOf(kind), id)
  return object
}
