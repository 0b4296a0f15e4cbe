/** The report for people: one HTML file that loads no other file. */
import { html, nothing, type Html, styleWith } from '../../../src/html/index.js';
import type { Verdict, Violation } from '../../radio/index.js';
import {
  counted,
  inState,
  placeOf,
  stateOf,
  timeOf,
  unlisted,
  violationCount,
  type Findings,
  type State,
} from './findings.js';

const style = styleWith(`
.verdict { font-size: 1.15rem; font-weight: 650; margin: .75rem 0; }
.facts { width: auto; }
.facts th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; }
.clause, .first { white-space: nowrap; }
.first time { display: block; font-size: .86em; }
.rules .broken { background: var(--bad-back); }
@media print { tr { break-inside: avoid; } }
`);

const SIGNS: Readonly<Record<State, string>> = { kept: '✓', broken: '✗', 'not tried': '·' };
const CLASSES: Readonly<Record<State, string>> = { kept: 'passed', broken: 'failed', 'not tried': 'quiet' };

const signed = (state: State, text: string): Html =>
  html`<span class="state ${CLASSES[state]}"><span aria-hidden="true">${SIGNS[state]}</span> ${text}</span>`;

const sum = (findings: Findings): Html => {
  const broken = inState(findings, 'broken').length;
  const kept = inState(findings, 'kept').length;
  if (broken > 0) {
    const count = `${counted(violationCount(findings), 'violation')} of ${counted(broken, 'rule')}`;
    return signed('broken', `${count}; ${counted(kept, 'rule')} kept`);
  }
  return kept > 0
    ? signed('kept', `No violation: ${counted(kept, 'rule')} kept`)
    : signed('not tried', 'No host has sent anything: nothing was checked');
};

const violationRow =
  ({ trace }: Findings) =>
  (violation: Violation): Html => {
    const { adapter, clause, message, count } = violation;
    const time = timeOf(violation);
    return html`<tr>
      <td class="clause">${clause}</td>
      <td>${message}</td>
      <td>${adapter}</td>
      <td class="number">${count.toLocaleString('en')}</td>
      <td class="first">${placeOf(trace, violation)} <time datetime="${time}">${time}</time></td>
    </tr>`;
  };

const unlistedRow = (verdict: Verdict): Html => {
  const more = unlisted(verdict);
  if (more === 0) return nothing;
  return html`<tr>
    <td class="clause">${verdict.clause}</td>
    <td colspan="4" class="quiet">and ${counted(more, 'other violation')}, too many to be listed</td>
  </tr>`;
};

type Column = readonly [title: string, className?: 'number'];

const table = (className: string, columns: readonly Column[], rows: readonly Html[]): Html =>
  html`<div class="scroll">
    <table class="${className}">
      <thead>
        <tr>
          ${columns.map(([title, kind = '']) => html`<th scope="col" class="${kind}">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

const violationTable = (findings: Findings): Html => {
  const broken = inState(findings, 'broken');
  if (broken.length === 0) return nothing;
  const rows = broken.flatMap((verdict) => [
    ...verdict.violations.map(violationRow(findings)),
    unlistedRow(verdict),
  ]);
  const times: Column = ['Times', 'number'];
  const columns: readonly Column[] = [['Clause'], ['Violation'], ['Adapter'], times, ['First packet']];
  return html` <h2 id="violations">Violations</h2>
    ${table('', columns, rows)}`;
};

const ruleRow = (verdict: Verdict): Html => {
  const { clause, title, checked, broken } = verdict;
  const state = stateOf(verdict);
  return html`<tr class="${state === 'broken' ? 'broken' : ''}">
    <td class="clause">${clause}</td>
    <td>${title}</td>
    <td>${signed(state, state)}</td>
    <td class="number">${checked === 0 ? '' : checked.toLocaleString('en')}</td>
    <td class="number">${broken === 0 ? '' : broken.toLocaleString('en')}</td>
  </tr>`;
};

const ruleTable = ({ verdicts }: Findings): Html => {
  const numbers: readonly Column[] = [
    ['Packets checked', 'number'],
    ['Violations', 'number'],
  ];
  const columns: readonly Column[] = [['Clause'], ['Rule, or command'], ['State'], ...numbers];
  return html` <h2 id="rules">${verdicts.length} rules</h2>
    ${table('rules', columns, verdicts.map(ruleRow))}`;
};

const minute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export const pageOf = (findings: Findings): string => {
  const { startedAt, endedAt, version } = findings;
  const secs = ((endedAt - startedAt) / 1000).toFixed(1);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>airbench: violations of hosts</title>
        ${style}
      </head>
      <body>
        <header>
          <h1>Bluetooth hosts on a strict air</h1>
          <p class="verdict">${sum(findings)}</p>
          <p class="quiet">
            The packets of hosts to their controllers, checked against the Bluetooth Core specification 5.4. A
            command is a rule of its own: its parameters, and its time. Numbers of packets are those of the
            capture. airbench ${version}, from ${minute(startedAt)}, for ${secs} s.
          </p>
        </header>
        <main>${violationTable(findings)} ${ruleTable(findings)}</main>
      </body>
    </html> `.text;
};
