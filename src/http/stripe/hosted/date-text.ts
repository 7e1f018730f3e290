let format: Intl.DateTimeFormat | undefined

/** Formats the UTC date of an instant for a customer: `February 28, 2026`. */
export function dateText(instant: number): string {
  // Created at the first use: that takes longer than a page.
  format ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(instant * 1000)
}
