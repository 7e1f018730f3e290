/** @jsxImportSource hono/jsx */

/** The hidden field that proves that a form is from this dashboard. */
export const FormToken = ({ value }: { value: string }) => <input type="hidden" name="token" value={value} />
