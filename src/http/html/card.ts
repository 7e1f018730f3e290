import { THEME } from './theme.ts'

/** The style sheet of pages with one card, such as the consent page, on all screen sizes. */
export const CARD_STYLE = `${THEME}
body { min-height: 100vh; min-height: 100svh; display: grid; align-content: center; justify-items: center; padding: 1rem }
main { width: 100%; max-width: 27rem; padding: 1.75rem 1.5rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .9rem }
.brand { margin: 0 0 1.25rem }
h1 { margin: 0; font-size: 1.45rem; line-height: 1.25; font-weight: 500; text-wrap: balance }
h1 strong { font-weight: 700 }
h2, legend { margin: 0 0 .4rem; padding: 0; font-size: .875rem; font-weight: 600; color: var(--faint) }
p { margin: .75rem 0 0 }
form { margin: 1.5rem 0 0 }
pre { margin: .75rem 0 0; padding: .6rem .85rem; border-radius: .55rem; background: var(--tint); font: .95rem/1.5 ui-monospace, monospace }
a { color: var(--accent); text-underline-offset: .15em }
ul { margin: 0 0 1.5rem; padding: 0; list-style: none }
li { position: relative; padding: .15rem 0 .15rem 1.6rem }
li::before { content: ""; position: absolute; left: .3rem; top: .55rem; width: .35rem; height: .65rem; border: solid var(--accent); border-width: 0 2px 2px 0; transform: rotate(40deg) }
li.not { color: var(--faint) }
li.not::before { top: .8rem; width: .75rem; height: 0; left: .15rem; border-color: var(--faint); border-width: 0 0 2px; transform: none }
fieldset { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0 }
.merchants { display: grid; gap: .5rem }
.merchants label { display: grid; grid-template-columns: auto 1fr; align-items: center; column-gap: .75rem; padding: .65rem .85rem; border: 1px solid var(--line); border-radius: .55rem; cursor: pointer }
.merchants label:has(:checked) { border-color: var(--accent); background: var(--tint) }
.merchants input { grid-row: span 2; width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent) }
.merchants small, .faint { color: var(--faint); font-size: .85rem }
select { width: 100%; min-height: 2.9rem; padding: 0 .75rem; border: 1px solid var(--line); border-radius: .55rem; background: var(--card); color: inherit; font: inherit }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem }
.actions.stacked { grid-template-columns: 1fr }
button { min-height: 3rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .55rem; background: var(--card); color: inherit; font: inherit; font-weight: 600; cursor: pointer }
button:hover { border-color: var(--faint) }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent) }
button.primary:hover { filter: brightness(1.08) }
.faint { margin-top: 1.25rem; line-height: 1.45 }
.faint b { color: var(--ink); font-weight: 600 }
@media (max-width: 22rem) { .actions { grid-template-columns: 1fr } .primary { order: -1 } }
`
