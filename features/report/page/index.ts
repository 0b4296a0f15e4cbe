/** `acceptance.html`: the verdict on a run and what it rests on. One file, which loads no other. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { Coverage } from '../coverage.js';
import { minute } from '../times.js';
import { remarksPart, signaturePart, stepsPart } from './closing.js';
import { rulesPart, summaryPart, verdictPart } from './head.js';
import { linesPart } from './lines.js';
import { EvidencePart } from './scenarios.js';
import { style } from './style.js';
import { testedPart } from './tested.js';

export interface Acceptance {
  readonly coverage: Coverage;
  /** The bench whose latest run is in the head. */
  readonly shown: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

const body = ({ coverage, shown }: Acceptance): Html => {
  const [head, ...others] = [...coverage.summaries].sort(
    (a, b) => Number(b.bench.name === shown) - Number(a.bench.name === shown),
  );
  const run = head?.bench.runs.at(-1);
  if (head?.judgement === undefined || run === undefined) return nothing;
  const benches = [head.bench, ...others.map(({ bench }) => bench)];
  const columns = coverage.summaries.map(({ bench }) => bench).filter(({ runs }) => runs.length > 0);
  const evidence = new EvidencePart();
  return html`${verdictPart(head.bench.name, run, head.judgement)} ${summaryPart([head, ...others])}
  ${testedPart(benches)} ${linesPart(coverage, columns)} ${remarksPart(run)}
  ${benches.map((bench, at) => evidence.of(bench, at === 0))} ${rulesPart()} ${signaturePart(head.bench)}
  ${stepsPart(run.steps)}`;
};

export const acceptancePage = (acceptance: Acceptance): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Acceptance: ${acceptance.shown}</title>
        ${style}
      </head>
      <body>
        <header>
          <h1>Acceptance of dice and clock servers</h1>
          <p class="quiet">Made ${minute(acceptance.madeAt)} by airbench. All times on this page are UTC.</p>
        </header>
        <main>${body(acceptance)}</main>
      </body>
    </html> `.text;
