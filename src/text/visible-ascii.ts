/** Whether a text has visible ASCII characters only, as a header can carry them. */
export const isVisibleAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)
