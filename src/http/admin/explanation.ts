import * as z from 'zod'
import { parseInstant } from '../../core/calendar.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { isIdOf, nounOf } from '../../core/kinds.ts'
import { EXPLAINED_KINDS, type ExplainedKind, explainedOf } from '../../engine/history/explained.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { merchantOfObject } from '../../engine/resources/merchant.ts'
import { contractPath } from '../contract-page.ts'
import { deferred } from '../deferred.ts'
import { turnToRead } from '../read-turn.ts'
import { type ExplanationShape, explanationSchema } from '../schemas/explanation.ts'
import type { AddRoute } from './services.ts'

const showParams = deferred(() => z.object({ at: z.union([z.int(), z.string()]).optional() }))

/** The kinds that can be explained as of an earlier time. */
const WITH_PAST: ReadonlySet<ExplainedKind> = new Set<ExplainedKind>(['subscription', 'invoice'])

/** Registers the route that explains an object. */
export function explanationRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'explanations/:id',
      summary:
        'Explains why a subscription, an invoice, a payment intent, a setup intent, a schedule, a dispute or a Checkout session is in its status, and what will happen to it.',
      params: showParams,
      returns: explanationSchema,
      errors: { 400: ['parameter_invalid'], 404: ['resource_missing'] },
    },
    async ({ c, services, params, id: given }): Promise<ExplanationShape> => {
      const { engine } = services
      const { kind, id } = namedObject(engine, given)
      const at = params.at === undefined ? undefined : instantOf(kind, params.at)
      const merchant = merchantOfObject(engine, kind, id)
      if (!merchant) throw resourceMissing(nounOf(kind), id)
      await turnToRead(services, merchant, c.env)
      // Loaded only here, because few daemons are asked for explanations.
      const { why } = await import('../../why/why.ts')
      const { subject, facts, now, as_of } = explainedOf(engine, merchant, { kind, id, at })
      return {
        object: 'explanation',
        id,
        resource: kind,
        status: subject.status,
        now,
        as_of,
        sentences: why(kind, subject, facts).map(({ rule, object, ...sentence }) => ({
          ...sentence,
          rule,
          url: services.url() + contractPath(rule),
          object,
        })),
        livemode: false,
        merchant_id: merchant.settings.id,
      }
    },
  )
}

/** Finds the object with an id, or with a name in fixtures. @throws ApiError resource_missing; parameter_invalid, param id */
function namedObject({ store }: Engine, given: string): { kind: ExplainedKind; id: string } {
  const kind = EXPLAINED_KINDS.find((each) => isIdOf(each, given))
  if (kind) return { kind, id: given }
  const named = EXPLAINED_KINDS.flatMap((each) =>
    store.fixtureNames.find(each, given).map((id) => ({ kind: each, id })),
  )
  const [only, ...others] = named
  if (only && others.length === 0) return only
  throw parameterInvalid(
    'id',
    only
      ? `Several objects have the name '${given}': ${named.map(({ id }) => id).join(', ')}. Give an id`
      : `'${given}' cannot be explained: give the id of a subscription (sub_…), invoice (in_…), payment intent (pi_…), setup intent (seti_…), schedule (sub_sched_…), dispute (du_…) or Checkout session (cs_test_…)`,
  )
}

/** Parses the parameter at. @throws ApiError parameter_invalid, param at */
function instantOf(kind: ExplainedKind, at: string | number): number {
  if (!WITH_PAST.has(kind))
    throw parameterInvalid('at', 'Only subscriptions and invoices can be explained as of an earlier time')
  const instant = parseInstant(String(at))
  if (instant !== undefined) return instant
  throw parameterInvalid(
    'at',
    `'${at}' is not a time: use Unix seconds or ISO 8601, such as 2026-02-28T10:00:00Z`,
  )
}
