/**
 * Sends requests of this process to Stripe's API to a paytwin daemon instead, and shifts its dates. Node loads it before the
 * application: NODE_OPTIONS=--require=<this file>. Node does not load modules of --import into workers with `eval: true`.
 *
 * - PAYTWIN_URL: the URL of the daemon.
 * - PAYTWIN_DATE_FILE: the file in which `paytwin run --shift-date` writes the offset of dates.
 *
 * See docs/stripe.md#unchanged-applications.
 */
import { refuseConnections } from './connections.ts'
import { readOffsets, shiftDates } from './dates.ts'
import { makeDirect } from './direct.ts'
import { redirectFetch } from './fetch.ts'
import { redirectHttps } from './https.ts'
import { sandboxOf } from './sandbox.ts'
import { preloadWorkers } from './workers.ts'

const { PAYTWIN_URL, PAYTWIN_DATE_FILE } = process.env
const REDIRECTED = Symbol.for('paytwin: requests to Stripe are redirected')

// A test runner can load this module again in another context, which shares Node's modules with the process.
const https = process.getBuiltinModule('node:https')
if (!Object.hasOwn(https, REDIRECTED)) {
  Object.defineProperty(https, REDIRECTED, { value: true })
  const sandbox = sandboxOf(PAYTWIN_URL)
  const direct = makeDirect()
  refuseConnections()
  redirectHttps(sandbox, direct)
  redirectFetch(sandbox, direct)
  preloadWorkers(__filename, {
    ...(PAYTWIN_URL && { PAYTWIN_URL }),
    ...(PAYTWIN_DATE_FILE && { PAYTWIN_DATE_FILE }),
  })
}

// If the application starts paytwin, paytwin itself needs the real time.
const isPaytwin = /(^|[\\/])paytwin(\.js)?$/.test(process.argv[1] ?? '')
if (PAYTWIN_DATE_FILE && !isPaytwin) shiftDates(readOffsets(PAYTWIN_DATE_FILE))
