/** @jsxImportSource hono/jsx */

/** The sections with a page for each object, by the type of the object. */
const SECTION_OF: Readonly<Record<string, string>> = {
  customer: 'customers',
  subscription: 'subscriptions',
  invoice: 'invoices',
  payment_intent: 'payments',
}

/** The id of an object, as a link if the object has a page. An invoice preview has no id. */
export function ObjectLink({ base, object, id }: { base: string; object: string; id: string | null }) {
  if (id === null) return <>{object.replaceAll('_', ' ')}</>
  const section = Object.hasOwn(SECTION_OF, object) ? SECTION_OF[object] : undefined
  return section === undefined ? (
    <code>{id}</code>
  ) : (
    <a class="id" href={`${base}/${section}/${encodeURIComponent(id)}`}>
      {id}
    </a>
  )
}
