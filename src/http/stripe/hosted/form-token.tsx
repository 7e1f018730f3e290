/** @jsxImportSource hono/jsx */
import type { View } from '../../../engine/history/view.ts'
import { isSameSecret } from '../../../engine/machine/digest.ts'

const TOKEN = 'token'

/** The name of a form's action, and the state for which the form was made. */
export type FormState = readonly [name: string, ...state: unknown[]]

/** Returns the token of a form, which changes with the form's state. It is an HMAC with the seed, so others cannot compute it. */
export const formToken = ({ ids }: Pick<View, 'ids'>, state: FormState): string =>
  ids.derived(`form ${JSON.stringify(state, sorted)}`, 24)

/** Sorts the fields of objects: those of an object that was just written have another order than those of a row. */
const sorted = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** Reports whether the fields of a form, or the query of an address, contain the token. */
export const hasToken = (given: URLSearchParams, token: string): boolean =>
  isSameSecret(given.get(TOKEN) ?? '', token)

/** The hidden token of a form. */
export const Token = ({ value }: { value: string }) => <input type="hidden" name={TOKEN} value={value} />
