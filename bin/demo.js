/**
 * Advances the clock of a sandbox with fixtures/tour.json by six months, and shows the timelines of its three subscriptions.
 * `npm run demo` starts the sandbox with `paytwin run`, which sets the variables and stops the sandbox at the end.
 */
const { spawnSync } = require('node:child_process')
const { join } = require('node:path')

const { PAYTWIN_URL, PAYTWIN_SECRET_KEY } = process.env

const TITLES = {
  Ada: "Ada's card always works",
  Ben: "Ben's card fails at the second renewal, and recovers at the second retry",
  Cleo: "Cleo's card works once, and never again",
}

async function demo() {
  const headers = { authorization: `Bearer ${PAYTWIN_SECRET_KEY}` }
  const response = await fetch(`${PAYTWIN_URL}/v1/subscriptions?expand[]=data.customer`, { headers })
  const { data } = await response.json()
  process.stdout.write('Three customers subscribe on 31 January 2026. Their clock advances by six months:\n')
  paytwin('clock', 'advance', '6mo')
  for (const { id, customer } of data.reverse()) {
    process.stdout.write(`\n${TITLES[customer.name]}\n\n`)
    paytwin('subscriptions', 'show', id, '--all')
  }
}

/** Runs a command. If it fails, the demo exits with its status. */
function paytwin(...args) {
  const { status } = spawnSync(process.execPath, [join(__dirname, 'paytwin.js'), ...args], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}

demo()
