import type { StoredKinds } from '../stored-kind.ts'

/** The columns of webhook endpoints and their deliveries. */
export const WEBHOOKS_COLUMNS = {
  webhook_endpoint: {
    columns: {
      id: 'text',
      created: 'integer',
      url: 'text',
      enabled_events: 'json',
      api_version: 'text',
      description: 'text',
      metadata: 'json',
      status: 'text',
      deleted: 'boolean',
    },
  },
  webhook_delivery: {
    columns: {
      id: 'text',
      created: 'integer',
      event: 'text',
      endpoint: 'text',
      status: 'text',
      attempts: 'json',
      attempt_count: 'integer',
      is_ready: 'boolean',
      next_attempt: 'integer',
    },
    privateFields: ['attempt_count', 'is_ready'],
    indexes: [
      { condition: 'event =', index: 'webhook_delivery_by_event' },
      { condition: "status = 'failed'", and: ['endpoint ='], index: 'webhook_delivery_failed' },
      { condition: 'endpoint =', index: 'webhook_delivery_endpoint' },
      { condition: 'event in', index: 'webhook_delivery_by_event' },
    ],
  },
} as const satisfies Partial<StoredKinds>
