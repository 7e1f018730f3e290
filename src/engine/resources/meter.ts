import { Change } from '../../core/change.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { type Formula, type Meter, withAction } from '../../core/meter.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type MeterParams = {
  display_name: string
  event_name: string
  default_aggregation: { formula: Formula }
  customer_mapping?: { type: 'by_id'; event_payload_key: string } | undefined
  value_settings?: { event_payload_key: string } | undefined
}

const DEFAULT_CUSTOMER_KEY = 'stripe_customer_id'
const DEFAULT_VALUE_KEY = 'value'

/**
 * Creates a meter.
 * @throws ApiError parameter_invalid, param event_name, when another meter has the name
 * See docs/contract/usage.md#meters.
 */
export function createMeter(unit: UnitOfWork, params: MeterParams): Meter {
  const { display_name, event_name, default_aggregation, customer_mapping, value_settings } = params
  const other = meterNamed(unit, event_name)
  if (other)
    throw parameterInvalid('event_name', `The meter '${other.id}' already has the event_name '${event_name}'`)
  const change = new Change()
  const meter = change.create(
    'billing_meter',
    {
      id: unit.idFor('billing_meter'),
      created: unit.now,
      display_name,
      event_name,
      status: 'active',
      default_aggregation,
      customer_mapping: customer_mapping ?? { type: 'by_id', event_payload_key: DEFAULT_CUSTOMER_KEY },
      value_settings: value_settings ?? { event_payload_key: DEFAULT_VALUE_KEY },
      updated: unit.now,
      deactivated_at: null,
    },
    'billing.meter.created',
  )
  apply(unit, change)
  return meter
}

/** Returns the meter of a merchant whose events have a name. */
export const meterNamed = ({ store, owner }: UnitOfWork, event_name: string): Meter | undefined =>
  store.objects.list('billing_meter', owner, [{ field: 'event_name', is: event_name }], { limit: 1 })[0]

/** Updates a meter. @throws ApiError resource_missing */
export function updateMeter(
  unit: UnitOfWork,
  id: string,
  { display_name }: { display_name?: string | undefined },
): Meter {
  const meter = unit.find('billing_meter', id)
  if (display_name === undefined || display_name === meter.display_name) return meter
  return write(unit, meter, { ...meter, display_name, updated: unit.now }, 'billing.meter.updated')
}

/** Stops a meter: it accepts no events. @throws ApiError resource_missing; invalid_state_transition, param status */
export function deactivateMeter(unit: UnitOfWork, id: string): Meter {
  const meter = unit.find('billing_meter', id)
  return write(unit, meter, withAction(meter, 'deactivate', unit.now), 'billing.meter.deactivated')
}

/** Lets a meter accept events again. @throws ApiError resource_missing; invalid_state_transition, param status */
export function reactivateMeter(unit: UnitOfWork, id: string): Meter {
  const meter = unit.find('billing_meter', id)
  return write(unit, meter, withAction(meter, 'reactivate', unit.now), 'billing.meter.reactivated')
}

function write(
  unit: UnitOfWork,
  before: Meter,
  after: Meter,
  event: 'billing.meter.updated' | 'billing.meter.deactivated' | 'billing.meter.reactivated',
): Meter {
  const change = new Change()
  change.update('billing_meter', before, () => after, event)
  apply(unit, change)
  return after
}
