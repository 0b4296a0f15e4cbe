/** The scenarios of a run: failed and flaky ones with their evidence, skipped ones by reason, passed ones with their steps. */
import { groupBy } from 'fp-ts/lib/NonEmptyArray.js';
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { Attached, Attempt, Step } from '../attempt.js';
import type { BenchRuns } from '../coverage.js';
import { withoutStack } from '../reason.js';
import type { Outcome, Run, Status } from '../run.js';
import { scenarioId, type Scenario } from '../scenario.js';
import { badge, place, section } from './parts.js';

/** The tag of a line of the interface documents. */
const LINE_TAG = /^@[CD]-/;

const lineLink = (tag: string): Html => html`<a href="#${tag.slice(1)}">${tag}</a> `;

interface Tried {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** The most bytes of attachments on one page: a browser must be able to open and print it. */
const MOST_EVIDENCE = 30_000_000;

const size = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

const fileHtml = ({ body, mediaType, contentEncoding, fileName = 'log' }: Attached): Html => {
  if (contentEncoding !== 'BASE64')
    return html`<details class="file">
      <summary>${fileName} <span class="quiet">${size(Buffer.byteLength(body))}</span></summary>
      <pre>${body}</pre>
    </details>`;
  return html`<p class="file">
    <a download="${fileName}" href="data:${mediaType};base64,${body}">${fileName}</a>
    <span class="quiet">${size(Buffer.byteLength(body, 'base64'))}</span>
  </p>`;
};

/** Shows attachments until they exceed the limit of the page. */
export class EvidencePart {
  private left = MOST_EVIDENCE;

  /** The scenarios of a bench's latest run. */
  of({ name, runs }: BenchRuns, isShown: boolean): Html {
    const run = runs.at(-1);
    if (run === undefined) return nothing;
    const of = isShown ? 'the run' : `the latest run on the bench ${name}`;
    const parts = [
      ...(['failed', 'flaky'] as const).map(
        (status) =>
          [
            `${name}-${status}`,
            status === 'failed' ? `Failed scenarios of ${of}` : `Flaky scenarios of ${of}`,
            html`${tried(run, status).map((one) => this.article(one, isShown))}`,
          ] as const,
      ),
      [`${name}-skipped`, `Skipped scenarios of ${of}`, skippedPart(tried(run, 'skipped'))] as const,
    ];
    return html`${parts.map(([id, title, content]) => section(id, title, content))}`;
  }

  private article({ scenario, outcome }: Tried, isShown: boolean): Html {
    const { name, uri, line, tags } = scenario;
    const { status, attempts } = outcome;
    return html`<article class="${status}" id="${isShown ? '' : 'other-'}${scenarioId(scenario)}">
      <h3>${badge(status)} ${name} ${place(uri, line)}</h3>
      <p class="tag">${tags.filter((tag) => LINE_TAG.test(tag)).map(lineLink)}</p>
      ${attempts.map((attempt, at) => this.attempt(attempt, at + 1, attempts))}
    </article>`;
  }

  /** The last failed attempt is open. */
  private attempt(attempt: Attempt, number: number, all: readonly Attempt[]): Html {
    const steps = html`<ol class="steps">
      ${attempt.steps.map((step) => this.step(step))}
    </ol>`;
    if (all.length === 1) return steps;
    const isOpen = attempt === all.findLast(({ status }) => status === 'failed');
    return html`<details${isOpen ? html` open` : nothing}>
      <summary>Attempt ${number}: ${badge(attempt.status)}</summary>
      ${steps}
    </details>`;
  }

  private step({ text, status, message, attached }: Step): Html {
    return html`<li class="${status.replace(' ', '-')}">
      ${badge(status)} ${text}
      ${message === '' ? nothing : html`<pre class="message">${withoutStack(message)}</pre>`}
      ${attached.filter(({ body }) => body !== '').map((file) => this.file(file))}
    </li>`;
  }

  private file(file: Attached): Html {
    this.left -= file.body.length;
    if (this.left >= 0) return fileHtml(file);
    return html`<p class="file quiet">
      ${file.fileName ?? 'log'}: in messages.ndjson alone; the attachments here have ${size(MOST_EVIDENCE)}.
    </p>`;
  }
}

/** The scenarios with an outcome, in the order of the run, each once. */
const tried = ({ planned, outcomes }: Run, status: Status): readonly Tried[] =>
  [...new Map(planned.map((scenario) => [scenario.key, scenario])).values()].flatMap((scenario) => {
    const outcome = outcomes.get(scenario.key);
    return outcome?.status === status ? [{ scenario, outcome }] : [];
  });

const skippedPart = (skipped: readonly Tried[]): Html =>
  skipped.length === 0
    ? nothing
    : html`<div class="reasons">
        ${Object.entries(groupBy(({ outcome }: Tried) => outcome.reason)([...skipped]))
          .sort(([, a], [, b]) => b.length - a.length)
          .map(
            ([reason, group]) =>
              html`<details>
                <summary>
                  ${badge('skipped', ` ${group.length}`)} ${reason === '' ? 'no reason given' : reason}
                </summary>
                <ul>
                  ${group.map(({ scenario: { name, uri, line } }) => html`<li>${name} ${place(uri, line)}</li>`)}
                </ul>
              </details>`,
          )}
      </div>`;

const passedScenario = ({ scenario: { name, uri, line }, outcome }: Tried): Html =>
  html`<details>
    <summary>${name} ${place(uri, line)}</summary>
    <ol class="steps">
      ${(outcome.attempts.at(-1)?.steps ?? []).map(({ text }) => html`<li>${text}</li>`)}
    </ol>
  </details>`;

const passedFeatures = (run: Run): Html =>
  html`${Object.entries(groupBy(({ scenario }: Tried) => scenario.uri)([...tried(run, 'passed')])).map(
    ([uri, group]) =>
      html`<details>
        <summary>
          ${badge('passed', ` ${group.length}`)} ${run.featureNames.get(uri) ?? ''}
          <span class="where">${uri}</span>
        </summary>
        ${group.map(passedScenario)}
      </details>`,
  )}`;

/** The passed scenarios of a bench's latest run. */
export const passedPart = ({ name, runs }: BenchRuns): Html => {
  const run = runs.at(-1);
  return run === undefined
    ? nothing
    : section(`${name}-passed`, 'Passed scenarios of the run', passedFeatures(run));
};
