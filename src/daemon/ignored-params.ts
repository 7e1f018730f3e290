import { ID } from '../http/route-memory.ts'
import type { Logger } from './log.ts'

/** The maximum number of routes and names to remember, because callers choose the names. */
const MOST_WARNINGS = 1_000

/**
 * Warns of ignored parameters in a log, once for each route and name.
 * See docs/contract/requests.md#unknown-parameters.
 */
export function warnOfIgnored(log: Pick<Logger, 'warn'>) {
  const warned = new Set<string>()
  return (route: string, params: readonly string[]): void => {
    const place = route.replace(ID, ':id')
    const news = params.filter((name) => {
      const known = `${place} ${name.replace(/\[\d+\]/g, '[]')}`
      if (warned.has(known) || warned.size >= MOST_WARNINGS) return false
      warned.add(known)
      return true
    })
    if (news.length === 0) return
    log.warn(
      { params: news.join(', ') },
      `${place}: ignored unknown parameters, which have no effect. --strict-params refuses them`,
    )
    if (warned.size >= MOST_WARNINGS)
      log.warn("further ignored parameters are not logged: see 'paytwin requests list'")
  }
}
