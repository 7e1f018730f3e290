import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { formatInstant } from '../../src/core/calendar.ts'
import { anchorOf } from '../../src/text/markdown.ts'
import { listAll, type TwinResponse } from '../simulation/client.ts'
import type { Body } from '../twin.ts'

/** Sends a request of the operator: the path is below /_paytwin/. */
export type Operate = (method: string, path: string) => Promise<TwinResponse>

const LISTS = [
  'subscriptions?status=all&',
  'invoices?',
  'payment_intents?',
  'subscription_schedules?',
  'disputes?',
]

/** Jobs that explanations leave out: those of objects that are not explained. */
const OTHERS = ['webhook_retry']

/**
 * Explains every object of a merchant. Each explanation names the actual status of its object and the time of its next job,
 * and each rule is a heading of the contract.
 * @param further - further objects, which the API of the operator does not list
 * @returns the statuses that were explained, such as `invoice open`
 */
export async function explainAll(
  operate: Operate,
  merchant: string,
  further: readonly Body[] = [],
): Promise<Set<string>> {
  const get = (path: string) => operate('GET', path.replace(/^\/_paytwin\//, ''))
  const due = await nextJobs(get, merchant)
  const seen = new Set<string>()
  for (const list of [...LISTS, null]) {
    const objects = list === null ? further : await listAll(get, `merchants/${merchant}/v1/${list}`)
    for (const object of objects) {
      const { status, body } = await operate('GET', `explanations/${object.id}`)
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
      check(body, object, due.get(object.id))
      seen.add(`${body.resource} ${body.status}`)
    }
  }
  return seen
}

function check(explanation: Body, object: Body, due: number | undefined): void {
  const { sentences, status, id } = explanation
  expect({ id, status }).toEqual({ id: object.id, status: object.status })
  const [first] = sentences
  expect(first).toMatchObject({ part: 'status' })
  expect(first.text).toMatch(new RegExp(`(is|has been) (a )?${status}\\b`))
  for (const { text, rule } of sentences) {
    expect(text).toMatch(/^[A-Z].*\.$/)
    expect(text).not.toMatch(/undefined|null\b(?<!is null)|NaN|\.\.| {2}/)
    expect(headings()).toContain(rule)
  }
  const next = sentences.filter(({ part }: Body) => part === 'next')
  expect(next.length).toBeGreaterThan(0)
  if (due === undefined) return
  expect({ id, at: next[0].at, text: next[0].text }).toEqual({
    id,
    at: due,
    text: expect.stringContaining(formatInstant(due)),
  })
}

/** Returns the time of the next job of each subscription, invoice and so on. */
async function nextJobs(
  get: (path: string) => Promise<TwinResponse>,
  merchant: string,
): Promise<Map<string, number>> {
  const clocks = (await get(`clock?merchant=${merchant}`)).body.data.flatMap(({ object, id }: Body) =>
    object === 'test_clock' ? [`&test_clock=${id}`] : [],
  )
  const due = new Map<string, number>()
  for (const clock of ['', ...clocks]) {
    const jobs = await listAll(get, `upcoming?merchant=${merchant}${clock}&`)
    for (const job of jobs.filter(({ kind }) => !OTHERS.includes(kind))) {
      // The object of a job is in its id: renewal-sub_…-1772272800.
      const [, object = ''] = job.id.split('-')
      for (const id of new Set([object, job.subscription, job.invoice]))
        if (id !== null) due.set(id, Math.min(job.due, due.get(id) ?? Number.POSITIVE_INFINITY))
    }
  }
  return due
}

let known: Set<string> | undefined

/** The headings of the contract: `invoices.md#retry-schedule`. */
export function headings(): Set<string> {
  known ??= new Set(
    [
      ...['subscriptions', 'invoices', 'payments', 'proration', 'schedules', 'disputes', 'setup-intents'],
      ...['notices', 'discounts', 'credit-notes', 'errors', 'customers', 'checkout-sessions', 'clocks'],
    ].flatMap((page) =>
      [...readFileSync(`docs/contract/${page}.md`, 'utf8').matchAll(/^##+ (.*)$/gm)].map(
        ([, title = '']) => `${page}.md#${anchorOf(title)}`,
      ),
    ),
  )
  return known
}
