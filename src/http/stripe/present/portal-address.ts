import type { View } from '../../../engine/history/view.ts'
import { clientSecretOf } from '../../client-secret.ts'

/** Returns the path of a session's page. It ends with a secret of 142 bits, in the form of a client_secret. */
export const portalPath = (view: Pick<View, 'ids' | 'merchant'>, id: string): string =>
  `/p/session/${view.merchant.id}/${clientSecretOf(view.ids, id)}`

/** Returns the address of a session's page. */
export const portalUrl = (view: Pick<View, 'ids' | 'merchant' | 'url'>, id: string): string =>
  `${view.url}${portalPath(view, id)}`
