import * as z from 'zod'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { component, type Shape } from './component.ts'
import { listOf, livemode, seconds, text } from './fields.ts'

export const mailSchema = component('Mail', () =>
  z
    .object({
      id: text('The id, which begins with mail_.'),
      object: z.literal('mail').describe('The type of the object.'),
      created: seconds('When it would have been sent, on the clock of its customer'),
      kind: z.enum(MAIL_KINDS).describe('Why it would have been sent.'),
      to: text('The address of the customer.'),
      subject: text('The subject.'),
      text: text('The text, with its links.'),
      links: z
        .array(z.object({ name: text('The name of the link.'), url: text('The url.') }))
        .describe('The pages that it leads to.'),
      about: z
        .object({ object: text('The type of the object.'), id: text('The id of the object.') })
        .describe('The object that it is about: an invoice, a subscription or a charge.'),
      event: text('The id of the event that caused it.'),
      livemode: livemode(),
      merchant_id: text('The merchant.'),
    })
    .describe('A mail for a customer. It is derived from an event, and never sent.'),
)
export type MailShape = Shape<typeof mailSchema>
export const mailList = listOf(mailSchema)
