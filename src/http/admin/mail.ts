import * as z from 'zod'
import { ApiError, resourceMissing } from '../../core/errors.ts'
import { MAIL_EVENTS, typesWithMail } from '../../core/mail.ts'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { findEvent, listEvents } from '../../engine/history/events.ts'
import type { EventWithObject } from '../../engine/history/view.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { checkCurrent, type MerchantState, StateReplaced } from '../../engine/machine/merchant-state.ts'
import { OPERATOR } from '../../engine/machine/turns.ts'
import { deferred } from '../deferred.ts'
import { cursorOf, page, pageParams } from '../pagination.ts'
import { type MailShape, mailList, mailSchema } from '../schemas/mail.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

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
    async ({ c, services: { engine }, params }) => {
      const merchant = params.merchant === undefined ? null : theMerchant(engine, params.merchant)
      const found = await listMail(engine, merchant, params)
      const isBackward = params.ending_before !== undefined
      return page(c.req.path, found, { limit: params.limit, isBackward }, presentMail)
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

/** Lists up to limit + 1 mails, newest first; with a backward cursor oldest first. @throws ApiError for an unknown cursor; StateReplaced */
async function listMail(engine: Engine, merchant: MerchantState | null, params: ListParams): Promise<Mail[]> {
  const { kind, to, limit } = params
  const { eventOfMail, mailOf } = await loadComposer()
  const owners = merchant ? [merchant] : [...engine.merchants.values()]
  const caused = new Set(owners.flatMap(({ settings }) => typesWithMail(settings.mails)))
  const types = [...caused].filter((type) => kind === undefined || MAIL_EVENTS[type] === kind)
  const found: Mail[] = []
  const given = cursorOf(params)
  const isBackward = given?.param === 'ending_before'
  let cursor = given && { param: given.param, isBackward, id: eventOfMail(given.id) }
  if (types.length === 0) return found
  for (;;) {
    const events = [...listEvents(engine, merchant, { types, created: [] }, { limit: BATCH, cursor })]
    for (const event of events) {
      const mail = mailOf(event)
      if (mail && (to === undefined || mail.to === to)) found.push(mail)
      if (found.length > limit) return found
    }
    const last = events.at(-1)
    if (!last || events.length < BATCH) return found
    cursor = { param: given?.param ?? 'starting_after', isBackward, id: last.id }
    // For a rare address, all events are read. Others take their turns in between.
    await engine.reads.next(OPERATOR)
    if (merchant) checkCurrent(merchant)
    else if (owners.some(({ presence }) => presence !== 'present'))
      throw new StateReplaced('the merchants of the list have changed')
  }
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
