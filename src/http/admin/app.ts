import * as z from 'zod'
import {
  createApp,
  deleteApp,
  type IssuedApp,
  listApps,
  type OAuthApp,
  rotateSecret,
} from '../../engine/access/oauth-app.ts'
import { appKey } from '../../engine/access/oauth-token.ts'
import { deferred } from '../deferred.ts'
import { list } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import { type AppShape, appList, deletedApp, type IssuedAppShape, issuedAppSchema } from '../schemas/oauth.ts'
import type { AddRoute } from './services.ts'

/** The name of an app on the consent page: one line, without characters that hide or reorder text. */
const name = deferred(() =>
  z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u, { error: 'expected one line of visible text' }),
)

export const createAppParams = deferred(() =>
  z.object({ name: name(), redirect_uris: z.array(z.string()).min(1).max(20) }),
)

export function appRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'apps',
      summary: 'Creates an OAuth app. Its secret is shown only in this response.',
      params: createAppParams,
      status: 201,
      returns: issuedAppSchema,
    },
    async ({ services, sender, params }) => presentIssued(await createApp(services.engine, params, sender)),
  )
  add(
    {
      method: 'get',
      path: 'apps',
      summary: 'Lists OAuth apps, newest first.',
      returns: appList,
    },
    ({ c, services }) => list(c.req.path, listApps(services.engine).map(presentApp)),
  )
  add(
    {
      method: 'post',
      path: 'apps/:id/rotate_secret',
      summary: 'Replaces the secret of an OAuth app. Its grants stay valid.',
      returns: issuedAppSchema,
    },
    async ({ services, sender, id }) => presentIssued(await rotateSecret(services.engine, id, sender)),
  )
  add(
    {
      method: 'delete',
      path: 'apps/:id',
      summary: 'Deletes an OAuth app and revokes its grants.',
      returns: deletedApp,
    },
    async ({ services, sender, id }) => {
      await deleteApp(services.engine, id, sender)
      services.streams.closeOf(appKey(id))
      return deletedStub('app', id)
    },
  )
}

const presentApp = ({ id, name: called, redirect_uris, created }: OAuthApp): AppShape => ({
  id,
  object: 'app',
  client_id: id,
  name: called,
  redirect_uris: [...redirect_uris],
  created,
  livemode: false,
})

const presentIssued = ({ app, client_secret }: IssuedApp): IssuedAppShape => ({
  ...presentApp(app),
  client_secret,
})
