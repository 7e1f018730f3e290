/** JSON does not show symbols. */
const INTERNAL_ID = Symbol('internal id')

/**
 * Creates the hidden part of a body that has or names an id that can be reused, such as that of a coupon. Expansion finds the object by
 * its internal id.
 */
export const internalId = (id: string | undefined): object => ({ [INTERNAL_ID]: id })

/** Returns the internal id in a body; undefined for none. */
export const internalIdIn = (body: object): string | undefined => Reflect.get(body, INTERNAL_ID)
