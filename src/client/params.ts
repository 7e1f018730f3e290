import type { EventFilter } from './event-stream.ts'
import type { FixturesFile } from './types.ts'

/** The parameters of the admin API, as the methods of Client take them. See docs/contract/operator.md#admin-api. */
export type OfMerchant = { readonly merchant?: string | undefined }

export type Limited = { readonly limit?: number | undefined }

export type PageAfter = Limited & { readonly starting_after?: string | undefined }

/** Selects the main clock of a merchant or a test clock; without a merchant, the main clocks of all merchants. */
export type OneClock = OfMerchant & { readonly test_clock?: string | undefined }

export type NewKey = OfMerchant & {
  readonly name?: string | undefined
  readonly publishable?: boolean | undefined
  readonly secret?: string | undefined
}

export type NewMerchant = {
  readonly name?: string | undefined
  readonly clock?: string | number | undefined
  readonly dialect?: string | undefined
  readonly api_version?: string | undefined
  readonly secret_key?: string | undefined
}

export type MerchantUpdate = {
  readonly name?: string | undefined
  readonly api_version?: string | undefined
  readonly dunning_final_action?: string | undefined
  readonly retry_schedule?: string | readonly number[] | undefined
  readonly notices?: Readonly<Record<string, number | null>> | undefined
  readonly mails?: Readonly<Record<string, boolean>> | undefined
}

export type NewWebhook = OfMerchant & {
  readonly url: string
  readonly enabled_events?: readonly string[] | undefined
  readonly description?: string | undefined
}

export type DeliveriesToRetry = { readonly id: string } | (OfMerchant & { readonly all: true })

export type NewFault = OfMerchant & {
  readonly kind: string
  readonly count?: number | undefined
  readonly rate?: number | undefined
  readonly route?: string | undefined
  readonly ms?: number | undefined
}

/** The conditions that stop an advance early, and whether it waits for webhooks. */
export type AdvanceWaits = {
  readonly stop_on?: readonly string[] | undefined
  readonly await_webhooks?: boolean | undefined
  /** An id by which this advance can be canceled. */
  readonly advance_id?: string | undefined
}

export type EventPage = EventFilter & {
  readonly limit?: number | undefined
  readonly starting_after?: string | undefined
  readonly ending_before?: string | undefined
}

export type FixturesToLoad = {
  readonly files: readonly FixturesFile[]
  readonly validate_only?: boolean | undefined
}
