/** The style sheet of the pages: one column on small screens, two on wide ones, with a dark color scheme. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fff; --raised: #f5f6f8; --line: #dcdfe4; --ink: #1c2128; --faint: #57606a; --accent: #0b57b0;
  --get: #1a6e3c; --post: #8a4b00; --delete: #a8232a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --raised: #1e2329; --line: #343b44; --ink: #e3e7ec; --faint: #9aa4b0; --accent: #7ab4ff;
    --get: #6fcf97; --post: #f0b35e; --delete: #ff8d8d;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em }
p > code, dd > code { display: inline-block; max-width: 100% }
header { display: flex; gap: 1rem; align-items: baseline; justify-content: space-between; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line) }
header > a:first-child { color: inherit; font-weight: 600; text-decoration: none }
main { padding: 1.5rem 1.25rem 3rem; max-width: 52rem }
nav { padding: 1.5rem 1.25rem; border-top: 1px solid var(--line); background: var(--raised) }
nav h2 { margin: 1.25rem 0 .35rem; font-size: .8rem; color: var(--faint); font-weight: 600 }
nav h2:first-child { margin-top: 0 }
nav ul { margin: 0; padding: 0; list-style: none }
nav a { display: block; padding: .25rem 0; color: inherit; text-decoration: none }
nav a:hover { text-decoration: underline }
nav a[aria-current] { color: var(--accent); font-weight: 600 }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2 }
h2 { margin: 2.75rem 0 .5rem; font-size: 1.25rem; line-height: 1.3 }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem }
p { margin: .5rem 0 }
.lead { font-size: 1.1rem; color: var(--faint); margin-bottom: 1rem }
.faint { color: var(--faint) }
.route { font-size: 1rem }
.method { font-weight: 600 }
.get { color: var(--get) } .post { color: var(--post) } .delete { color: var(--delete) }
.routes, .plain { margin: 1rem 0; padding: 0; list-style: none }
.plain { columns: 16rem }
.routes li { margin: .35rem 0 }
.plain li { padding: .2rem 0; break-inside: avoid }
.routes .faint { display: block; font-size: .9rem }
section { border-top: 1px solid var(--line); margin-top: 2.5rem }
section > h2 { margin-top: 1.5rem }
dl { margin: .5rem 0 }
dl > div { padding: .6rem 0; border-top: 1px solid var(--line) }
dl > div:first-child { border-top: 0 }
dt { font-weight: 600 }
dt .type { font-weight: 400; font-size: .875rem; color: var(--faint); margin-left: .35rem }
dd { margin: .1rem 0 0 }
dd dl { margin: .5rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line) }
pre { margin: .5rem 0; padding: .75rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; overflow-wrap: normal; line-height: 1.45 }
details { margin: .5rem 0 }
summary { cursor: pointer; padding: .25rem 0 }
@media (min-width: 60rem) {
  .page { display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
  main { grid-column: 2; grid-row: 1; padding: 2rem 3rem 4rem }
  nav { grid-column: 1; grid-row: 1; border-top: 0; border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto }
  header a[href="#pages"] { display: none }
}
@media print { nav, header a[href="#pages"] { display: none } details > * { display: block } pre { white-space: pre-wrap } }
`.trim()
