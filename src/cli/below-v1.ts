import { wrongUsage } from './failure.ts'

/** Stands for the URL that a path is added to. */
const ROOT = 'http://localhost/_paytwin/merchants/merchant/v1/'

/**
 * Removes `/v1/` from a path. A path that leads out of /v1 could reach the admin API. It is resolved as a URL, because `..`
 * has encoded forms, and a backslash is a slash.
 * @throws Failure 2 for a path outside of /v1
 */
export function belowV1(path: string): string {
  const below = path.replace(/^\/?v1\//, '')
  const isBelow = new URL(ROOT + below).href.startsWith(ROOT)
  if (below !== '' && isBelow && !/^[/_]|:\/\//.test(below)) return below
  throw wrongUsage(`'${path}' is not a path of the API: use one below /v1/, such as /v1/customers.`)
}
