import { Html, styleWith } from '../../../src/html/index.js';
import type { BenchRuns } from '../coverage.js';

/** The foot of each printed page: the run, by the beginning of its digest, and the page's number. */
export const footerOf = ({ digest = '' }: BenchRuns): Html =>
  new Html(`<style>@page {
  @bottom-left { content: "Acceptance of the run with SHA-256 ${digest.slice(0, 16)}…"; font: 8pt sans-serif; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt sans-serif; }
}</style>`);

export const style = styleWith(`
:root { --good-back: light-dark(#e9f5ec, #1f3327); --open-back: light-dark(#fdf4df, #3a3019); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; font-weight: 650; }
h4 { font-size: .95rem; margin: .6rem 0 .2rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.verdict { margin: 1rem 0; padding: .9rem 1.1rem; border: 2px solid currentColor; border-radius: 8px; }
.verdict.good { background: var(--good-back); } .verdict.open { background: var(--open-back); }
.verdict.bad { background: var(--bad-back); }
.verdict > :not(.word) { color: var(--text); }
.verdict .word { font-size: 1.7rem; font-weight: 700; line-height: 1.2; margin: 0 0 .3rem; }
.verdict li { overflow-wrap: anywhere; margin-top: .25rem; }
.rules { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 0 2rem; }
.rules > p { grid-column: 1 / -1; }
.facts th[scope=row] { font-weight: 600; }
.facts td { overflow-wrap: anywhere; }
.facts .where { white-space: nowrap; }
section > p + .scroll { margin-top: .5rem; }
section > .scroll + .scroll { margin-top: .75rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .6rem 1.5rem; margin: .75rem 0; }
dt { color: var(--quiet); font-size: .86em; }
dd { margin: 0; overflow-wrap: anywhere; }
.lines { table-layout: fixed; min-width: calc(13rem + var(--benches) * 9rem); }
.lines thead th { position: sticky; top: 0; }
.lines thead th:first-child { width: max(40%, 100% - var(--benches) * 22%); }
.lines tbody { border-top: 1px solid var(--rule); }
.lines tbody tr > * { border-bottom: 0; padding-block: .12rem; overflow-wrap: anywhere; }
.lines tbody tr:first-child > * { padding-top: .5rem; }
.lines tbody tr:last-child > * { padding-bottom: .55rem; }
.lines .line th { font-weight: 500; }
.lines .tag { display: block; color: var(--quiet); }
.lines .scenario { font-size: .92em; }
.lines .scenario th { padding-left: 1.75rem; color: var(--quiet); }
.lines .failing { background: var(--bad-back); }
.lines time { font-size: .86em; }
.verified { color: var(--good); }
.state.failing { color: var(--bad); }
.unverified, .flaky { color: var(--open); }
.not-run, .not-claimed { color: var(--quiet); font-weight: 400; }
.reason { display: block; overflow-wrap: anywhere; font-size: .92em; white-space: pre-line; }
article { border-left: 4px solid var(--rule); padding: 0 .9rem; margin: 1rem 0; }
article.failed { border-color: var(--bad); } article.flaky { border-color: var(--open); }
article.failed, article.flaky { color: inherit; }
article h3 { margin-top: 0; }
.steps { list-style: none; padding-left: 0; margin: .3rem 0; }
.steps > li { color: var(--text); padding: .1rem 0; overflow-wrap: anywhere; }
details .steps { padding-left: 1.4rem; }
.message { background: var(--bad-back); border-left: 3px solid var(--bad); }
pre { margin: .25rem 0; padding: .5rem .75rem; background: var(--card); overflow: auto; max-height: 30rem;
  white-space: pre-wrap; overflow-wrap: anywhere;
  font: .82em/1.4 ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; }
.file { margin-left: 1rem; }
details { margin: .15rem 0; }
details details { margin-left: 1.2rem; }
summary { cursor: pointer; }
.all > li { margin: .2rem 0; overflow-wrap: anywhere; }
input[type=search] { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--rule);
  border-radius: 6px; padding: .3rem .6rem; width: min(24rem, 100%); }
.signature { grid-template-columns: 1fr 1fr; gap: 1.4rem 2rem; margin-top: 1.5rem; }
.signature dd { min-height: 1.9rem; border-bottom: 1px solid var(--text); white-space: pre-line; }
.digest { overflow-wrap: anywhere; }
.bar { display: flex; height: .5rem; min-width: 6rem; margin-top: .3rem; border-radius: 4px; overflow: hidden;
  background: var(--rule); }
.bar i { background: var(--good); } .bar i.bad { background: var(--bad); }
@media (max-width: 40rem) {
  main, header { padding-inline: .75rem; }
  th, td { padding: .35rem .45rem; }
  .signature { grid-template-columns: 1fr; }
  .lines thead th:first-child { width: max(40%, 100% - var(--benches) * 32%); }
  .facts thead { display: none; }
  .facts tr { display: block; padding: .35rem 0; border-bottom: 1px solid var(--rule); }
  .facts tbody tr:last-child { border-bottom: 0; }
  .facts tr > * { display: block; border: 0; padding-block: .1rem; }
  .facts td:empty { display: none; }
  .facts td::before { content: attr(data-head) ": "; color: var(--quiet); }
}
@page { size: A4; margin: 14mm; }
@media print {
  body { font-size: 9pt; }
  h2, h3, h4 { break-after: avoid; }
  .verdict, #rules, #signature, article h3, .facts tr { break-inside: avoid; }
  .verdict, .lines .failing, .message, .bar, .bar i { print-color-adjust: exact; }
  .lines { min-width: 0; }
  .file { display: none; }
  .lines thead th { position: static; }
  .lines tr { break-inside: avoid; }
  .lines .line { break-after: avoid; }
  #tested .scroll { break-inside: avoid; }
  pre { max-height: none; overflow: visible; }
  #steps { display: none; }
  #dice { break-before: page; }
  .reasons details::details-content { content-visibility: visible; }
  .signature dd { min-height: 3rem; }
}
`);
