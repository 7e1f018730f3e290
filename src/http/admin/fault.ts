import * as z from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import { FAULT_KINDS, type Fault, isChargeFault } from '../../engine/machine/faults.ts'
import { findMerchant } from '../../engine/resources/merchant.ts'
import { deferred } from '../deferred.ts'
import { list } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import { deletedFault, type FaultShape, faultList, faultSchema } from '../schemas/admin.ts'
import { MAX_URL_LENGTH } from '../webhook-endpoint.ts'
import type { AddRoute } from './services.ts'

const createParams = deferred(() =>
  z.object({
    kind: z.enum(FAULT_KINDS),
    count: z.int().min(1).optional(),
    rate: z.number().min(0).max(1).default(1),
    // A glob that matches routes or urls of webhook endpoints.
    route: z.string().min(1).max(MAX_URL_LENGTH).optional(),
    merchant: z.string().optional(),
    ms: z.int().min(0).max(600_000).optional(),
  }),
)

const DEFAULT_LATENCY_MS = 1_000

export function faultRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'faults',
      summary: 'Injects a fault, always or with a probability.',
      params: createParams,
      status: 201,
      returns: faultSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ services, params }) => {
      checkKindParams(params)
      const { kind, count, rate, route, merchant, ms } = params
      const whose =
        merchant === undefined ? null : findMerchant(services.engine, merchant, 'merchant').settings.id
      return presentFault(
        services.faults.add({
          kind,
          rate,
          ms: kind === 'latency' ? (ms ?? DEFAULT_LATENCY_MS) : null,
          remaining: count ?? null,
          route: route ?? null,
          merchant: whose,
        }),
      )
    },
  )
  add(
    {
      method: 'get',
      path: 'faults',
      summary: 'Lists the active faults.',
      returns: faultList,
    },
    ({ c, services }) => list(c.req.path, services.faults.list().map(presentFault)),
  )
  add(
    {
      method: 'delete',
      path: 'faults',
      summary: 'Removes all faults.',
      returns: faultList,
    },
    ({ c, services }) => {
      services.faults.clear()
      return list(c.req.path, [])
    },
  )
  add(
    {
      method: 'delete',
      path: 'faults/:id',
      summary: 'Removes a fault.',
      returns: deletedFault,
    },
    ({ services, id }) => {
      services.faults.clear(id)
      return deletedStub('fault', id)
    },
  )
}

/** Checks that the parameters apply to the kind of fault. @throws ApiError parameter_invalid */
function checkKindParams({ kind, route, ms }: z.infer<ReturnType<typeof createParams>>): void {
  if (route !== undefined && isChargeFault(kind)) {
    throw parameterInvalid(
      'route',
      `route does not apply to ${kind}, which affects every card charge, also those of the clock. Use merchant to limit it`,
    )
  }
  if (ms !== undefined && kind !== 'latency') {
    throw parameterInvalid('ms', `ms applies only to the kind latency, not to ${kind}`)
  }
}

const presentFault = ({ id, kind, remaining, rate, route, merchant, ms }: Fault): FaultShape => ({
  id,
  object: 'fault',
  kind,
  remaining,
  rate,
  route,
  merchant,
  ms,
  livemode: false,
})
