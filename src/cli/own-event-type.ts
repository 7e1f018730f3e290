/** Converts a name or glob of Stripe's events to paytwin's own, for requests that know only those. Other names are the same. */
export const ownEventType = (type: string): string => type.replace(/^customer\.(?=subscription\b)/, '')
