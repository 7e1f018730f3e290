/** Returns the id of the account that a merchant is in Stripe's API. */
export const accountIdOf = (merchant: string): string => `acct_${merchant.slice('mer_'.length)}`
