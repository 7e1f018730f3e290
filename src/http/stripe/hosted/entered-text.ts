import { beginningOf } from '../../../text/beginning.ts'

/**
 * Returns the text that was entered in a field, without spaces around it and shortened to a maximum length.
 * @returns '' for a form without the field
 */
export const enteredText = (form: URLSearchParams, field: string, maxLength: number): string =>
  beginningOf((form.get(field) ?? '').trim(), maxLength)
