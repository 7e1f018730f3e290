// Keeps an open page live. The page is complete without this module: a reload shows the same.
// main[data-live] is the url of the stream of changes. The elements with data-part are replaced by those of the same name
// in the current page; with data-key, only if the key differs. tbody[data-rows] gets rows from the stream.
// A hidden page is not kept live: it catches up when it is shown. Only some of the visible pages have a stream, the others poll.

const main = document.querySelector('main')
const clock = document.querySelector('section.time')

/** How often a page with changes is read again, and how often the clock is read, in milliseconds. */
const REFRESH_MS = 1_000
const POLL_MS = 2_000
const ADVANCING_POLL_MS = 500
/** A page that is slow to make is read less often: this many times its duration passes in between. */
const REST = 5
/** How many rows a live list has. */
const MAX_ROWS = 200
const RETRY_MS = 3_000
/** How many pages of a browser have a stream: it opens six connections to a host, and loads its pages with the others. */
const MAX_STREAMS = 3

let isPaused = sessionStorage.getItem('live') === 'paused'
let stream
/** Lets another page have a stream. */
let leavePlace = () => undefined
let timers = []
/** The number of the latest restart or stop. Work of an earlier one ends. */
let latest = 0
let refreshedAt = 0
let duration = 0
let isRefreshing = false
let refreshing
let isScheduled = false
/** Whether something has changed since the refresh began. */
let isStale = false

const isOn = () => !isPaused && !document.hidden
const later = (work, ms) => timers.push(setTimeout(work, ms))

/** Whether the person is at work in an element, which must not be replaced then. */
const isInUse = (element) =>
  element.contains(document.activeElement) ||
  (!getSelection().isCollapsed && element.contains(getSelection().anchorNode))

/** Takes over the parts of a newer version of the page. */
function takeOver(newer, parts = document.querySelectorAll('[data-part]')) {
  for (const part of parts) {
    const next = newer.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`)
    if (!next || isInUse(part)) continue
    const differs = 'key' in part.dataset ? part.dataset.key !== next.dataset.key : !part.isEqualNode(next)
    if (differs) part.replaceWith(document.adoptNode(next))
  }
}

/** Reads html from the daemon. Scripts in it would not run. @returns undefined if the page is not there any more */
async function read(url) {
  const response = await fetch(url, { headers: { Accept: 'text/html' } })
  if (!response.ok || response.redirected) return undefined
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** Opens the page again. A reload would send a form again. */
const reopen = () => location.replace(location.href)

function refresh() {
  isScheduled = false
  if (!isOn() || isRefreshing) return
  refreshing = readAgain()
  return refreshing
}

/** Reads the page again, and shows its parts. A page that is not there any more is opened, to say so. */
async function readAgain() {
  isRefreshing = true
  isStale = false
  const begun = performance.now()
  try {
    const newer = await read(location.href)
    if (!newer) return reopen()
    takeOver(newer)
    const url = newer.querySelector('main')?.dataset.live
    if (url) main.dataset.live = url
  } catch {
    // The daemon does not answer: the stream connects again, and refreshes the page then.
  } finally {
    isRefreshing = false
    refreshedAt = performance.now()
    duration = refreshedAt - begun
    if (isStale) schedule()
  }
}

/** Refreshes the page soon, however many changes there are. */
function schedule() {
  isStale = true
  if (isScheduled || isRefreshing) return
  isScheduled = true
  const pause = Math.max(REFRESH_MS, REST * duration)
  later(refresh, Math.max(50, refreshedAt + pause - performance.now()))
}

/** Rows that wait for the next frame, newest first. */
let waiting = []
const canHover = matchMedia('(hover: hover)').matches

/** Shows new rows once a frame. While the pointer is over the list, rows would move away under it. */
function showRows() {
  const list = document.querySelector('tbody[data-rows]')
  if (!list || waiting.length === 0) return
  if (isInUse(list) || (canHover && list.matches(':hover')))
    return later(() => requestAnimationFrame(showRows), 250)
  const template = document.createElement('template')
  template.innerHTML = waiting.join('')
  waiting = []
  list.prepend(template.content)
  while (list.rows.length > MAX_ROWS) list.lastElementChild.remove()
}

function receiveRows(rows) {
  if (waiting.length === 0) requestAnimationFrame(showRows)
  waiting = [...rows, ...waiting].slice(0, MAX_ROWS)
}

/**
 * Takes one of the places for pages with a stream. The browser gives a place of a closed page to others.
 * @returns how to leave it; undefined if no place is free
 */
async function takePlace() {
  // Without locks, as on a host that is not this machine, every page has a stream.
  if (!navigator.locks) return () => undefined
  for (let number = 1; number <= MAX_STREAMS; number += 1) {
    const leave = await new Promise((taken) => {
      const keep = (lock) => (lock ? new Promise((left) => taken(left)) : taken(undefined))
      // A page that is being left gets none.
      navigator.locks
        .request(`live stream ${number}`, { ifAvailable: true }, keep)
        .catch(() => taken(undefined))
    })
    if (leave) return leave
  }
  return undefined
}

async function connect(run) {
  if (!main.dataset.live || stream) return
  const leave = await takePlace()
  if (!leave) return
  if (run !== latest || stream) return leave()
  leavePlace = leave
  const opened = new EventSource(main.dataset.live)
  stream = opened
  opened.addEventListener('rows', ({ data }) => receiveRows(JSON.parse(data)))
  opened.addEventListener('changed', schedule)
  opened.addEventListener('reset', reopen)
  opened.addEventListener('error', () => {
    // The browser connects again by itself, unless the stream was refused.
    if (stream === opened && opened.readyState === EventSource.CLOSED) later(restart, RETRY_MS)
  })
}

/** The clocks that are advancing, by id. */
const advancing = () =>
  [...clock.querySelectorAll('[data-advancing]')].map(({ dataset }) => dataset.advancing)
const pollMs = () => (advancing().length > 0 ? ADVANCING_POLL_MS : POLL_MS)
const isPolled = () => main.dataset.poll !== undefined || (main.dataset.live !== undefined && !stream)

/** Shows the clock as it is. When an advance ends, the page shows what it did. */
async function watchClock(run) {
  const before = advancing().join()
  const wasPolled = isPolled()
  try {
    await connect(run)
    const newer = await read(clock.dataset.url)
    if (run !== latest) return
    if (!newer) return reopen()
    takeOver(newer, clock.querySelectorAll('[data-part]'))
  } catch {
    // The daemon does not answer now.
  }
  if (run !== latest) return
  const now = advancing()
  if (main.dataset.ends !== undefined && !now.includes(main.dataset.ends)) return reopen()
  const isChanged = main.dataset.live !== undefined && before !== now.join()
  if ((isChanged && !main.querySelector('[data-rows]')) || wasPolled) schedule()
  later(() => watchClock(run), pollMs())
}

function stop() {
  latest += 1
  stream?.close()
  stream = undefined
  leavePlace()
  leavePlace = () => undefined
  for (const timer of timers) clearTimeout(timer)
  timers = []
  isScheduled = false
}

async function start() {
  const run = latest
  later(() => watchClock(run), pollMs())
  await connect(run)
}

/** Catches up, and keeps the page live. The page can be hidden and shown again while it is read. */
async function restart() {
  stop()
  if (!clock || !isOn()) return
  const run = latest
  waiting = []
  await refreshing
  if (run !== latest) return
  await refresh()
  if (run === latest) await start()
}

const toggle = document.querySelector('#live')
if (toggle) {
  const show = () => toggle.setAttribute('aria-pressed', String(!isPaused))
  toggle.hidden = false
  show()
  toggle.addEventListener('click', () => {
    isPaused = !isPaused
    sessionStorage.setItem('live', isPaused ? 'paused' : 'on')
    show()
    restart()
  })
}
document.addEventListener('visibilitychange', restart)
addEventListener('pagehide', stop)
// A page from the browser's cache is outdated.
addEventListener('pageshow', ({ persisted }) => persisted && restart())
if (clock && isOn()) start()
