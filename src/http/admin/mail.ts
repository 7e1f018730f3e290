import * as z from 'zod'
import { ApiError, resourceMissing } from '../../core/errors.ts'
import { MAIL_EVENTS, type MailEvent, typesWithMail } from '../../core/mail.ts'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { findEvent, listEvents } from '../../engine/history/events.ts'
import type { EventWithObject } from '../../engine/history/view.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { checkCurrent, type MerchantState, StateReplaced } from '../../engine/machine/merchant-state.ts'
import { OPERATOR } from '../../engine/machine/turns.ts'
import { deferred } from '../deferred.ts'
import { cursorOf, page, pageParams } from '../pagination.ts'
import { readInSteps } from '../read-turn.ts'
import { type MailShape, mailList, mailSchema } from '../schemas/mail.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute, AdminCall } from './services.ts'

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    merchant: z.string().optional(),
    kind: z.enum(MAIL_KINDS).optional(),
    to: z.string().optional(),
  }),
)
type ListParams = z.infer<ReturnType<typeof listParams>>

/** The number of events that are read at a time, until a page is full: not every event caused mail, and objects can be large. */
const BATCH = 5

/** Registers the routes for the mail for customers. See docs/contract/mail.md. */
export function mailRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'mail',
      summary: 'Lists the mail for customers, of all merchants or of one, newest first.',
      params: listParams,
      returns: mailList,
    },
    async (call) => {
      const found = await listMail(call)
      const { limit, ending_before } = call.params
      return page(call.c.req.path, found, { limit, isBackward: ending_before !== undefined }, (mail) => mail)
    },
  )
  add(
    {
      method: 'get',
      path: 'mail/:id',
      summary: 'Retrieves a mail for a customer.',
      returns: mailSchema,
    },
    async ({ services: { engine }, id }) => {
      const { eventOfMail, mailOf } = await loadComposer()
      const mail = id.startsWith('mail_') ? mailOf(eventOf(engine, eventOfMail(id), id)) : null
      if (mail === null) throw resourceMissing('mail', id)
      return presentMail(mail)
    },
  )
}

/** Loads the composers of mail. Only merchants with Stripe's API have mail. */
const loadComposer = () => import('../stripe/mail/compose.ts')
type Composer = Awaited<ReturnType<typeof loadComposer>>
type Mail = NonNullable<ReturnType<Composer['mailOf']>>

/** Finds the event that caused a mail. @throws ApiError resource_missing with the id of the mail */
function eventOf(engine: Engine, event: string, mail: string): EventWithObject {
  try {
    return findEvent(engine, null, event)
  } catch (error) {
    throw error instanceof ApiError ? resourceMissing('mail', mail) : error
  }
}

/** Lists up to limit + 1 mails, newest first; with a backward cursor oldest first. Other requests are served meanwhile. */
async function listMail({ c, services, params, sender }: AdminCall<ListParams>): Promise<MailShape[]> {
  const composer = await loadComposer()
  const { engine } = services
  const merchant = params.merchant === undefined ? null : theMerchant(engine, params.merchant)
  const owners = merchant ? [merchant] : [...engine.merchants.values()]
  const check = () => {
    sender.checkCredentials?.()
    if (merchant) checkCurrent(merchant)
    else if (owners.some(({ presence }) => presence !== 'present'))
      throw new StateReplaced('the merchants of the list have changed')
  }
  const caused = new Set(owners.flatMap(({ settings }) => typesWithMail(settings.mails)))
  const types = [...caused].filter((type) => params.kind === undefined || MAIL_EVENTS[type] === params.kind)
  const steps = mailInSteps(engine, merchant, { ...params, types, composer })
  return readInSteps(services, { owner: OPERATOR, env: c.env, check }, steps)
}

type Wanted = ListParams & { readonly types: readonly MailEvent[]; readonly composer: Composer }

/**
 * Reads a batch of events in each step: all of them, if few caused mail. Between steps it keeps no events, which have large objects.
 * @throws ApiError parameter_invalid for two cursors; resource_missing for an unknown one
 */
function* mailInSteps(
  engine: Engine,
  merchant: MerchantState | null,
  wanted: Wanted,
): Generator<void, MailShape[]> {
  const { limit, types, to, composer } = wanted
  const given = cursorOf(wanted)
  const { param } = given ?? { param: 'starting_after' }
  const found: MailShape[] = []
  /** Finds the mails of the next events. @returns the last of these events; undefined if no more are needed */
  const findNext = (after: string | undefined): string | undefined => {
    const cursor =
      after === undefined ? undefined : { param, isBackward: param === 'ending_before', id: after }
    const events = listEvents(engine, merchant, { types, created: [] }, { limit: BATCH, cursor })
    let [count, last] = [0, after]
    for (const event of events) {
      const mail = composer.mailOf(event)
      if (mail && (to === undefined || mail.to === to)) found.push(presentMail(mail))
      if (found.length > limit) return undefined
      count += 1
      last = event.id
    }
    return count < BATCH ? undefined : last
  }
  if (types.length === 0) return found
  let last = findNext(given && composer.eventOfMail(given.id))
  while (last !== undefined) {
    yield
    last = findNext(last)
  }
  return found
}

const presentMail = ({ id, kind, created, to, subject, text, links, about, event }: Mail): MailShape => ({
  id,
  object: 'mail',
  created,
  kind,
  to,
  subject,
  text,
  links: links.map((link) => ({ ...link })),
  about: { ...about },
  event: event.id,
  livemode: false,
  merchant_id: event.view.merchant.id,
})
