import { styleWith } from '../../src/html/index.js';

export const style = styleWith(`
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
.lines time { display: block; font-size: .86em; }
.verified { color: var(--good); }
.state.failing { color: var(--bad); }
.unverified { color: var(--open); }
.not-run { color: var(--quiet); font-weight: 400; }
.reason { display: block; overflow-wrap: anywhere; font-size: .92em; white-space: pre-line; }
.bar { display: flex; height: .5rem; min-width: 10rem; margin-top: .4rem; border-radius: 4px; overflow: hidden;
  background: var(--rule); }
.bar i { background: var(--good); } .bar i.bad { background: var(--bad); }
@media print {
  .lines { min-width: 0; }
  .lines thead th { position: static; }
  tbody { break-inside: avoid; }
  .bar { display: none; }
}
`);
