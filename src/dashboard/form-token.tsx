/** @jsxImportSource hono/jsx */

/** The field with which a form proves that it is from this dashboard. */
export const FormToken = ({ value }: { value: string }) => <input type="hidden" name="token" value={value} />
