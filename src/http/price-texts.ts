/** Descriptions of the parameters with the data of a price that is created with another object, at a path. */
export const priceDataTexts = (path: string): Readonly<Record<string, string>> => ({
  [`${path}.currency`]: 'A three-letter ISO 4217 code.',
  [`${path}.product`]: 'The id of the product.',
  [`${path}.unit_amount`]: 'The amount for one unit, in the smallest currency unit.',
  [`${path}.unit_amount_decimal`]: 'The same with up to 12 decimals, in place of unit_amount.',
  [`${path}.recurring`]: 'The billing interval.',
  [`${path}.recurring.interval`]: 'The unit of the interval.',
  [`${path}.recurring.interval_count`]: 'The number of units between two bills.',
  [`${path}.metadata`]: 'Keys and values for your own use.',
})

/** Descriptions of the parameters of a new price that decide its amount. */
export const COST_TEXTS: Readonly<Record<string, string>> = {
  unit_amount:
    'The amount for one unit, 0 to 99999999, in the smallest currency unit. Required without unit_amount_decimal, unless the price is tiered.',
  unit_amount_decimal:
    'The amount for one unit with up to 12 decimals, such as 0.5, in place of unit_amount.',
  billing_scheme: 'per_unit, or tiered with tiers_mode and tiers. Default: per_unit.',
  tiers: 'The tiers in order, at most 100. The last one has the up_to inf.',
  'tiers.up_to': 'The last quantity of the tier, more than that of the tier before it; inf in the last tier.',
  'tiers.unit_amount': 'The amount for one unit in the tier, in the smallest currency unit.',
  'tiers.unit_amount_decimal': 'The same with up to 12 decimals, in place of unit_amount.',
  'tiers.flat_amount': 'An amount for the tier as a whole, in the smallest currency unit.',
  'tiers.flat_amount_decimal': 'The same with up to 12 decimals, in place of flat_amount.',
  tiers_mode:
    'graduated bills the part of the quantity in each tier; volume bills the whole quantity in the tier that it reaches. Required for a tiered price.',
  transform_quantity: 'Divides the quantity before it is billed. Not for a tiered price.',
}
