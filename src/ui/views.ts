/** The lists of the terminal UI, with the key that switches to each, and the noun of its entries. */
export const VIEWS = {
  events: { key: 'e', noun: 'event', about: 'show events' },
  webhooks: {
    key: 'w',
    noun: 'webhook',
    about: 'show webhook deliveries: event, response, next attempt, endpoint',
  },
  requests: {
    key: 'r',
    noun: 'request',
    about: 'show requests to /v1: status, method, path, error, ignored parameters',
  },
} as const

export type ViewName = keyof typeof VIEWS
export const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[]
