import { Html } from './html.js';

/** No state is shown by colour alone, and every text has a contrast of 4.5 to 1 or more, light and dark. */
export const style = new Html(`<style>
:root {
  color-scheme: light dark;
  --page: light-dark(#fbfbf9, #16181b);
  --card: light-dark(#ffffff, #1d2024);
  --text: light-dark(#1f2328, #e3e6ea);
  --quiet: light-dark(#5d6570, #a0a8b2);
  --rule: light-dark(#dfe2e6, #343a41);
  --good: light-dark(#1a6b37, #6fcf8f);
  --bad: light-dark(#b3261e, #ff9a90);
  --bad-back: light-dark(#fdeeec, #3a2322);
  --open: light-dark(#7a5200, #e3b866);
  --link: light-dark(#0b57a4, #8bbcf5);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
main { padding-bottom: 3rem; }
header { padding-top: 1.75rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; font-weight: 650; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; font-weight: 650; }
p { margin: .25rem 0; max-width: 60rem; }
a { color: var(--link); }
code, .tag, .where { font-family: ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; font-size: .86em; }
.quiet, .where, time, .reason { color: var(--quiet); }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-bottom: 1px solid var(--rule); font-weight: 400; }
tbody:last-child tr:last-child > * { border-bottom: 0; }
thead th { font-weight: 650; border-bottom-width: 2px; background: var(--card); }
.facts th[scope=row], .summary th[scope=row] { font-weight: 600; white-space: nowrap; }
.facts { table-layout: fixed; }
.facts thead th:first-child { width: 11rem; }
.facts td { overflow-wrap: anywhere; }
.lines { table-layout: fixed; min-width: 56rem; }
.lines thead th { position: sticky; top: 0; }
.lines thead th:first-child { width: 46%; }
.lines tbody { border-top: 1px solid var(--rule); }
.lines tbody tr > * { border-bottom: 0; padding-block: .12rem; }
.lines tbody tr:first-child > * { padding-top: .5rem; }
.lines tbody tr:last-child > * { padding-bottom: .55rem; }
.lines .line th { font-weight: 500; }
.lines .tag { display: block; color: var(--quiet); }
.lines .scenario { font-size: .92em; }
.lines .scenario th { padding-left: 2rem; color: var(--quiet); }
.lines .failing { background: var(--bad-back); }
.state { font-weight: 600; white-space: nowrap; }
.lines time { display: block; font-size: .86em; }
.passed, .proven { color: var(--good); }
.failed, .state.failing { color: var(--bad); }
.unproven, .skipped { color: var(--open); }
.not-run { color: var(--quiet); font-weight: 400; }
.reason { display: block; overflow-wrap: anywhere; font-size: .92em; white-space: pre-line; }
.bar { display: flex; height: .5rem; min-width: 10rem; margin-top: .4rem; border-radius: 4px; overflow: hidden;
  background: var(--rule); }
.bar i { background: var(--good); } .bar i.bad { background: var(--bad); }
.trouble { border-left: 4px solid var(--bad); padding: .4rem .9rem; margin: .5rem 0; background: var(--bad-back); }
ul { margin: .25rem 0; padding-left: 1.2rem; }
@media print {
  :root { color-scheme: light; --page: #fff; }
  body { font-size: 9.5pt; }
  main, header { max-width: none; padding-inline: 0; }
  .scroll { overflow: visible; border-radius: 0; }
  .lines { min-width: 0; }
  .lines thead th { position: static; }
  thead { display: table-header-group; }
  tbody { break-inside: avoid; }
  .bar { display: none; }
}
</style>`);
