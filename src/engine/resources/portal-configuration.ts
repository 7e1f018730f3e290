import { Change } from '../../core/change.ts'
import { type ApiError, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import {
  type BusinessProfile,
  DEFAULT_FEATURES,
  MAX_PRICES,
  NO_FEATURES,
  NO_PROFILE,
  type PortalConfiguration,
  type PortalFeatures,
  type PortalProduct,
} from '../../core/portal-configuration.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** The parts of an object that a request sets; undefined leaves a part unchanged. */
type Parts<T> = { readonly [Part in keyof T]?: T[Part] | undefined }

type ProductParams = Omit<PortalProduct, 'adjustable_quantity'> & {
  readonly adjustable_quantity?: Parts<PortalProduct['adjustable_quantity']> | undefined
}

type FeatureParams = {
  readonly customer_update?: Parts<PortalFeatures['customer_update']> | undefined
  readonly invoice_history?: Parts<PortalFeatures['invoice_history']> | undefined
  readonly payment_method_update?: Parts<PortalFeatures['payment_method_update']> | undefined
  readonly subscription_cancel?:
    | (Omit<Parts<PortalFeatures['subscription_cancel']>, 'cancellation_reason'> & {
        readonly cancellation_reason?:
          | Parts<PortalFeatures['subscription_cancel']['cancellation_reason']>
          | undefined
      })
    | undefined
  readonly subscription_update?:
    | (Omit<Parts<PortalFeatures['subscription_update']>, 'products'> & {
        readonly products?: readonly ProductParams[] | undefined
      })
    | undefined
}

export type ConfigurationParams = {
  readonly features?: FeatureParams | undefined
  readonly business_profile?: Parts<BusinessProfile> | undefined
  readonly default_return_url?: string | null | undefined
  readonly name?: string | null | undefined
  readonly metadata?: MetadataParam | undefined
}

/**
 * Creates a configuration of the customer portal. Features that are not given are disabled.
 * @throws ApiError parameter_missing, parameter_invalid, resource_missing for products and prices
 * See docs/contract/customer-portal.md#configurations.
 */
export function createConfiguration(unit: UnitOfWork, params: ConfigurationParams): PortalConfiguration {
  return create(unit, {
    is_default: false,
    name: params.name ?? null,
    default_return_url: params.default_return_url ?? null,
    business_profile: withParts(NO_PROFILE, params.business_profile),
    features: featuresOf(unit, NO_FEATURES, params.features),
    metadata: mergeMetadata({}, params.metadata),
  })
}

function create(
  unit: UnitOfWork,
  given: Omit<PortalConfiguration, 'id' | 'created' | 'updated' | 'active'>,
): PortalConfiguration {
  const change = new Change()
  const created = change.create(
    'billing_portal_configuration',
    {
      id: unit.idFor('billing_portal_configuration'),
      created: unit.now,
      updated: unit.now,
      active: true,
      ...given,
    },
    'billing_portal.configuration.created',
  )
  apply(unit, change)
  return created
}

/**
 * Returns the default configuration, which is created when it is first needed.
 * See docs/contract/customer-portal.md#the-default-configuration.
 */
export function defaultConfiguration(unit: UnitOfWork): PortalConfiguration {
  const [found] = unit.store.objects.list(
    'billing_portal_configuration',
    unit.owner,
    [{ field: 'is_default', is: 1 }],
    { limit: 1 },
  )
  return (
    found ??
    create(unit, {
      is_default: true,
      name: null,
      default_return_url: null,
      business_profile: NO_PROFILE,
      features: DEFAULT_FEATURES,
      metadata: {},
    })
  )
}

/**
 * Updates a configuration. Features that are not given stay as they are, and so do their parts.
 * @throws ApiError resource_missing, parameter_missing; parameter_invalid, param active, for the default one
 */
export function updateConfiguration(
  unit: UnitOfWork,
  id: string,
  { active, ...params }: ConfigurationParams & { readonly active?: boolean | undefined },
): PortalConfiguration {
  const configuration = unit.find('billing_portal_configuration', id)
  if (active === false && configuration.is_default)
    throw parameterInvalid('active', 'The default configuration cannot be deactivated')
  const after: PortalConfiguration = {
    ...configuration,
    active: active ?? configuration.active,
    name: params.name === undefined ? configuration.name : params.name,
    default_return_url:
      params.default_return_url === undefined ? configuration.default_return_url : params.default_return_url,
    business_profile: withParts(configuration.business_profile, params.business_profile),
    features: featuresOf(unit, configuration.features, params.features),
    metadata: mergeMetadata(configuration.metadata, params.metadata),
  }
  if (isSameJson(after, configuration)) return configuration
  const change = new Change()
  const updated = change.update(
    'billing_portal_configuration',
    configuration,
    () => ({ ...after, updated: unit.now }),
    'billing_portal.configuration.updated',
  )
  apply(unit, change)
  return updated
}

/** Replaces the parts of an object that are given. */
function withParts<T extends object>(known: T, given: Parts<T> | undefined): T {
  const parts = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...known, ...Object.fromEntries(parts) }
}

function featuresOf(
  unit: UnitOfWork,
  known: PortalFeatures,
  { subscription_cancel, subscription_update, ...others }: FeatureParams = {},
): PortalFeatures {
  const { cancellation_reason, ...cancel } = subscription_cancel ?? {}
  const { products, ...update } = subscription_update ?? {}
  const features: PortalFeatures = {
    customer_update: withParts(known.customer_update, others.customer_update),
    invoice_history: withParts(known.invoice_history, others.invoice_history),
    payment_method_update: withParts(known.payment_method_update, others.payment_method_update),
    subscription_cancel: {
      ...withParts(known.subscription_cancel, cancel),
      cancellation_reason: withParts(known.subscription_cancel.cancellation_reason, cancellation_reason),
    },
    subscription_update: withParts(known.subscription_update, update),
  }
  const complete = products ? withProducts(unit, features, products) : features
  checkComplete(complete)
  return complete
}

function withProducts(
  unit: UnitOfWork,
  features: PortalFeatures,
  given: readonly ProductParams[],
): PortalFeatures {
  const { subscription_update } = features
  const isAdjustable = subscription_update.default_allowed_updates.includes('quantity')
  const products = given.map(({ product, prices, adjustable_quantity }, index): PortalProduct => {
    const at = `features[subscription_update][products][${index}]`
    const { id } = unit.find('product', product, `${at}[product]`)
    if (given.findIndex((each) => each.product === product) < index)
      throw parameterInvalid(`${at}[product]`, `The product '${product}' occurs twice`)
    checkPrices(unit, { prices, product: id, param: `${at}[prices]` })
    const range = { enabled: isAdjustable, minimum: 1, maximum: null }
    return { product: id, prices, adjustable_quantity: withParts(range, adjustable_quantity) }
  })
  return { ...features, subscription_update: { ...subscription_update, products } }
}

/**
 * Checks that prices are recurring ones of a product. None that fits is read whole: a thousand prices can have 150 MB of metadata.
 * @throws ApiError resource_missing; parameter_invalid for one of another product, or a one-time price
 */
function checkPrices(
  unit: UnitOfWork,
  { prices, product, param }: { prices: readonly string[]; product: string; param: string },
): void {
  const fitting = unit.store.objects.ids(
    'price',
    unit.owner,
    [
      { field: 'id', isIn: prices },
      { field: 'product', is: product },
      { field: 'recurring', isNull: false },
    ],
    { limit: MAX_PRICES },
  )
  const unfit = prices.findIndex((id) => !fitting.includes(id))
  if (unfit !== -1) throw unfitPrice(unit, { id: prices[unfit] ?? '', product, param: `${param}[${unfit}]` })
}

/** Returns why a price cannot be offered with a product. @throws ApiError resource_missing */
function unfitPrice(
  unit: UnitOfWork,
  { id, product, param }: { id: string; product: string; param: string },
): ApiError {
  const price = unit.find('price', id, param)
  return price.product === product
    ? parameterInvalid(param, `The price '${id}' is not recurring`)
    : parameterInvalid(param, `The price '${id}' does not belong to the product '${product}'`)
}

/** Checks that enabled features are complete. @throws ApiError parameter_missing */
function checkComplete({ customer_update, subscription_update }: PortalFeatures): void {
  const { enabled, products, default_allowed_updates } = subscription_update
  if (customer_update.enabled && customer_update.allowed_updates.length === 0)
    throw parameterMissing('features[customer_update][allowed_updates]')
  if (!enabled) return
  if (default_allowed_updates.length === 0)
    throw parameterMissing('features[subscription_update][default_allowed_updates]')
  if (products !== null && products.length === 0)
    throw parameterMissing('features[subscription_update][products]')
}
