import type { StoredKinds } from '../stored-kind.ts'

/** The columns of configurations and sessions of the customer portal. */
export const PORTAL_COLUMNS = {
  billing_portal_configuration: {
    columns: {
      id: 'text',
      created: 'integer',
      updated: 'integer',
      active: 'boolean',
      is_default: 'boolean',
      name: 'text',
      default_return_url: 'text',
      business_profile: 'json',
      features: 'json',
      metadata: 'json',
    },
    indexes: [{ condition: 'is_default = 1', index: 'billing_portal_configuration_default' }],
  },
  billing_portal_session: {
    columns: {
      id: 'text',
      created: 'integer',
      customer: 'text',
      configuration: 'text',
      return_url: 'text',
      locale: 'text',
      flow: 'json',
      is_flow_done: 'boolean',
      expires_at: 'integer',
    },
    privateFields: ['is_flow_done', 'expires_at'],
  },
} as const satisfies Partial<StoredKinds>
