import { THEME } from '../../html/theme.ts'

/** The style sheet of the pages for customers, on all screen sizes. */
export const HOSTED_STYLE = `${THEME}
:root {
  --bad: light-dark(#a40e26, #ff9492); --bad-ground: light-dark(#ffebe9, #45171a);
  --good: light-dark(#116329, #6fdd8b); --good-ground: light-dark(#dafbe1, #12361f);
  --wait: light-dark(#6b4300, #eac55f); --wait-ground: light-dark(#fff3cd, #3b2e0a);
  --edge: light-dark(#868e99, #6b7582); --hover: light-dark(#f5f7fa, #1f252c);
}
body { min-height: 100vh; min-height: 100svh }
.sandbox { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .4rem 1rem; background: var(--wait-ground); color: var(--wait); font-size: .8125rem }
.sandbox p { margin: 0 }
.sandbox .mark { padding: 0; background: none; color: inherit; font-weight: 700; letter-spacing: .04em }
.sandbox time { font-variant-numeric: tabular-nums }
main { margin: 0 auto; padding: 1.5rem 1rem 3rem }
main.narrow { max-width: 31rem }
main.wide { max-width: 62rem }
.merchant { margin: 0 0 1rem; font-size: 1.0625rem; font-weight: 650 }
.card { padding: 1.25rem; border: 1px solid var(--line); border-radius: .9rem; background: var(--card) }
.card + .card { margin-top: 1.25rem }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25; font-weight: 650; text-wrap: balance }
h2 { margin: 0; font-size: 1rem; font-weight: 650 }
p { margin: .6rem 0 0 }
a { color: var(--accent); text-underline-offset: .15em }
ul { margin: 0; padding: 0; list-style: none }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0 }
.faint, .hint { color: var(--faint); font-size: .875rem; line-height: 1.45 }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right }
.field { margin: .9rem 0 0 }
.field label, .field legend { display: block; margin: 0 0 .3rem; padding: 0; font-size: .875rem; font-weight: 600 }
input:not([type=checkbox]):not([type=radio]), select { width: 100%; min-height: 2.75rem; padding: .4rem .75rem; border: 1px solid var(--edge); border-radius: .55rem; background: var(--card); color: inherit; font: inherit }
input::placeholder { color: var(--faint); opacity: 1 }
[aria-invalid] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad) }
.error { margin-top: .3rem; color: var(--bad); font-size: .875rem; line-height: 1.4 }
.hint { margin-top: .3rem }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 .75rem }
.check, .field label.check { display: grid; grid-template-columns: auto 1fr; gap: .6rem; margin: .9rem 0 0; font-size: .9375rem; font-weight: 400 }
.check input { width: 1.2rem; height: 1.2rem; margin: .15rem 0 0; accent-color: var(--accent) }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .4rem 1rem; border: 1px solid var(--edge); border-radius: .55rem; background: var(--card); color: inherit; font: inherit; font-weight: 600; text-decoration: none; text-align: center; cursor: pointer }
button:hover, .button:hover { background: var(--hover) }
button.primary { width: 100%; min-height: 3.1rem; margin-top: 1.25rem; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-size: 1.0625rem }
button.primary:hover { background: var(--accent); filter: brightness(1.08) }
button.small { min-height: 2.25rem; padding: .2rem .75rem; font-size: .875rem }
button.danger { border-color: var(--bad); color: var(--bad) }
button.quiet { min-height: 2rem; padding: .1rem .4rem; border-color: transparent; background: none; color: var(--accent); font-weight: 500; text-decoration: underline; text-underline-offset: .15em }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1rem }
.stacked { display: grid; gap: .75rem; margin-top: 1.25rem }
.stacked button.primary { margin: 0 }
.alert, .notice { margin: 0 0 1rem; padding: .7rem .9rem; border-radius: .55rem; font-size: .9375rem }
.alert { background: var(--bad-ground); color: var(--bad) }
.notice { background: var(--tint) }
.notice.good { background: var(--good-ground); color: var(--good) }
.status { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; background: var(--hover); color: var(--faint); font-size: .8125rem; white-space: nowrap }
.status.good { background: var(--good-ground); color: var(--good) }
.status.bad { background: var(--bad-ground); color: var(--bad) }
.status.wait { background: var(--wait-ground); color: var(--wait) }
.rows li, .rows .row { display: flex; justify-content: space-between; align-items: baseline; gap: .25rem 1rem; padding: .55rem 0 }
.rows > * + * { border-top: 1px solid var(--line) }
.rows small { display: block; color: var(--faint); font-size: .8125rem }
.rows .total { font-weight: 650 }
.test-cards { container-type: inline-size; margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
.test-cards p { margin: .2rem 0 .6rem }
.test-cards ul { display: grid; gap: .35rem }
.test-cards button { width: 100%; justify-content: space-between; text-align: start; gap: 0 .75rem; flex-wrap: wrap; padding: .3rem .75rem; border-color: var(--line); font-size: .875rem; font-weight: 400 }
.test-cards .digits { font: .9375rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: nowrap }
.test-cards span:last-child { color: var(--faint) }
.group { margin-top: 1.25rem }
.group legend { padding: 0; font-size: 1rem; font-weight: 650 }
.known { display: flex; gap: .75rem; margin: 0; padding-bottom: .25rem; font-size: .9375rem }
.known span { flex: none; color: var(--faint) }
.card > .field:first-child { margin-top: 0 }
.method:has([type=radio]:checked:not([value=card])) .of-card { display: none }
.method .check, .field label.check { align-items: start; margin-top: .5rem }
.summary .back { display: inline-block; margin: 0 0 .75rem; padding: .35rem 0; text-decoration: none }
.summary .back:hover { text-decoration: underline }
.summary h1 { color: var(--faint); font-size: 1.0625rem; font-weight: 550 }
.headline { margin: .15rem 0 0; font-size: 2rem; line-height: 1.2; font-weight: 700; font-variant-numeric: tabular-nums; text-wrap: balance }
.lines { margin-top: 1.25rem }
.lines b { font-weight: 600 }
.quantity { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .6rem; margin-top: .4rem; font-size: .875rem }
.quantity input[type] { width: 5rem; min-height: 2.25rem }
.quantity .error, .promotion .error { flex-basis: 100% }
.promotion { margin-top: 1rem }
.promotion label { display: block; margin-bottom: .3rem; font-size: .875rem; font-weight: 600 }
.joined { display: grid; grid-template-columns: 1fr auto; gap: .5rem }
.applied { display: flex; align-items: center; justify-content: space-between; gap: .75rem; padding: .25rem .25rem .25rem .75rem; border-radius: .55rem; background: var(--tint) }
.summary .totals { margin: 1rem 0 0; padding: 0; border-top: 1px solid var(--line) }
.summary dd { margin: 0 }
.summary .total { font-size: 1.0625rem }
@media (min-width: 56rem) {
  main.wide { padding-top: 3rem }
  .columns { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 0 4rem; align-items: start }
  .columns > .unseen { grid-row: 1 }
}
@media (max-width: 55.99rem) { .columns > .card { margin-top: 1.75rem } }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.facts { margin: 1rem 0 0 }
.facts > div { display: grid; grid-template-columns: 8.25rem minmax(0, 1fr); gap: .5rem; padding: .2rem 0 }
.facts dt { color: var(--faint) }
.facts dd { margin: 0 }
.details .totals { margin: .75rem 0 0; padding-top: .75rem; border-top: 2px solid var(--line) }
.details dd { margin: 0 }
.invoice { display: grid; gap: 1.25rem }
.invoice > .card { margin: 0 }
@media (min-width: 56rem) { .invoice { grid-template: auto 1fr / minmax(0, 1fr) 25rem; align-items: start } .invoice > .pay { grid-column: 2; grid-row: 1 / span 2 } }
@media (max-width: 30rem) {
  .reason { display: none }
}
@container (max-width: 24rem) { .test-cards button { flex-direction: column; align-items: start } }
time, .name { white-space: nowrap }
.status::first-letter { text-transform: uppercase }
h3 { margin: 0; font-size: 1rem; font-weight: 650 }
.plan > div { flex: 1 }
.plan p { margin: .2rem 0 0 }
.contact li { padding: .1rem 0 }
.contact { margin-top: .5rem }
form.inline { display: flex; gap: .25rem; margin-left: auto }
.rows li:has(> .inline) { flex-wrap: wrap }
button, .button { overflow-wrap: normal }
.ending { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: center; justify-content: flex-end }
.wide > h1 { margin-top: 1rem }
`.trim()
