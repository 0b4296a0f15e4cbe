/** `acceptance.html`: the verdict on a run, and its evidence. The file loads no other file. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { Coverage } from '../coverage.js';
import { minute } from '../times.js';
import { version } from '../../../src/system/package.js';
import { remarksPart, signaturePart, stepsPart } from './closing.js';
import { rulesPart, summaryPart, verdictPart } from './head.js';
import { linesPart } from './lines.js';
import { EvidencePart, passedPart } from './scenarios.js';
import { footerOf, style } from './style.js';
import { testedPart } from './tested.js';

interface Acceptance {
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
  const columns = coverage.summaries.map(({ bench }) => bench).filter(({ runs }) => runs.length > 0);
  const evidence = new EvidencePart();
  return html`${footerOf(head.bench)} ${verdictPart(head.bench.name, run, head.judgement)}
  ${summaryPart([head, ...others])} ${testedPart(head.bench, true)} ${evidence.of(head.bench, true)}
  ${remarksPart(run)} ${rulesPart()} ${signaturePart(head.bench, head.judgement)}
  ${linesPart(coverage, columns)} ${passedPart(head.bench)}
  ${others.map(({ bench }) => html`${testedPart(bench, false)} ${evidence.of(bench, false)}`)}
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
          <p class="quiet">
            airbench tests both servers against the lines of their interface documents. Scenarios, which are
            automated tests, verify each line.
          </p>
          <p class="quiet">
            Made ${minute(acceptance.madeAt)} by airbench ${version}. All times on this page are UTC.
          </p>
        </header>
        <main>${body(acceptance)}</main>
      </body>
    </html> `.text;
