/** The colors and basics of all pages, with a dark color scheme. Texts have a contrast of at least 4.5 on every background. */
export const THEME = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#eef0f4, #0f1216); --card: light-dark(#fff, #181c21); --line: light-dark(#d9dde4, #343b44);
  --ink: light-dark(#1c2128, #e3e7ec); --faint: light-dark(#57606a, #9aa4b0);
  --accent: light-dark(#0b57b0, #7ab4ff); --on-accent: light-dark(#fff, #0c1a2b); --tint: light-dark(#eaf2fd, #1b2a3d);
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
.brand { display: flex; align-items: baseline; gap: .5rem; font-weight: 600 }
.mark { padding: .05rem .5rem; border-radius: 1rem; background: var(--tint); color: var(--accent); font-size: .8rem; font-weight: 500; white-space: nowrap }
`.trim()
