import { parameterUnknown } from '../../../core/errors.ts'
import type { Json } from '../../json.ts'

/** Refuses parameters that do not exist since a version. @throws ApiError parameter_unknown */
export function refuseSince(since: string, version: string, params: Json): void {
  const [given] = Object.entries(params).find(([, value]) => value !== undefined) ?? []
  if (given !== undefined && version >= since) throw parameterUnknown(given)
}
