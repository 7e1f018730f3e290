import { expect } from 'vitest'
import { asOperator } from '../http/support.ts'
import type { Body, Twin } from '../twin.ts'
import { headings } from './every-object.ts'

/** Explains an object as the operator. */
export async function explain(twin: Twin, id: string, query = ''): Promise<Body> {
  const { status, body } = await asOperator(twin)('GET', `explanations/${id}${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The sentences of an explanation, a line for each, with the rule behind it. The prefix of a customer's invoices is left out. */
export const linesOf = ({ sentences }: Body): string =>
  sentences
    .map(({ text, rule }: Body) => `${text} [${rule}]`)
    .join('\n')
    .replaceAll(/\b[A-Z0-9]{8}-(?=\d{4} )/g, '#')

/** Explains an object as lines. Each rule must be a heading of the contract. */
export const why = async (twin: Twin, id: string, query = ''): Promise<string> => {
  const explanation = await explain(twin, id, query)
  for (const { rule } of explanation.sentences) expect(headings()).toContain(rule)
  return linesOf(explanation)
}
