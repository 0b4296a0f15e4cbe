/** Runs throw-away features in a separate process, and reads their files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMessages, type Envelope } from '../../features/report/messages.js';
import { readRun, type Status } from '../../features/report/run.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { parseXml, type Element } from '../support/xml.js';

const FEATURE = `
Feature: Thrown away

  @dice @D-led
  Scenario: A die <b>fails</b> & says why
    Given a connected die and a client of the event stream
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
    Then the answer is 418

  @clock @C-connect
  Scenario: A clock fails
    Given a connected clock
    Then it fails on purpose

  @dice @D-scan
  Scenario: A robot is missing
    Given the bench lacks a robot
    Then the answer is 200

  @dice @D-json
  Scenario: All is well
    When I send GET "/api/sessions"
    Then the answer is 200
`;

/** Steps outside the project import its Cucumber by its URL. */
const STEPS = `
import { Given, Then } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
Given('the bench lacks a robot', function () { this.log('skipped: this bench has no <robot>'); return 'skipped'; });
Then('it fails on purpose', () => { throw new Error('on purpose'); });
`;

export interface Outcome {
  readonly status: number | null;
  readonly printed: string;
  /** The texts of the attachments of a scenario, by file name. */
  readonly attached: (scenario: string) => ReadonlyMap<string, string>;
  readonly junit: Element;
  readonly page: string;
  readonly statuses: readonly Status[];
}

const NO_SERVERS = { BENCH: undefined, DICE_URL: undefined, CLOCK_URL: undefined, CONTROL_URL: undefined };

/** `npm run features` without a terminal. `env` alone names the servers. */
export const startFeatures = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Program =>
  Program.node(['dist/features/main.js', ...args], { env: { ...NO_SERVERS, ...env } });

/** Runs the features on the servers and the control API in `env`, or on a rig of one worker. */
export const runFeature = async (profile: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> => {
  const folder = newFolder();
  writeFileSync(join(folder, 'thrown-away.feature'), FEATURE);
  writeFileSync(join(folder, 'steps.mjs'), STEPS);
  const reports = join(folder, 'reports');
  const { status, stdout, stderr } = await startFeatures(
    [
      ...['--import', join(folder, 'steps.mjs'), '--profile', profile],
      ...(profile === 'simulated' ? ['--parallel', '1'] : []),
      join(folder, 'thrown-away.feature'),
    ],
    { AIRBENCH_REPORTS: reports, ...env },
  ).ended;
  const at = join(reports, profile);
  const messages = join(at, 'messages.ndjson');
  const envelopes = right(parseMessages(messages, readFileSync(messages, 'utf8')));
  return {
    status,
    printed: stdout + stderr,
    attached: (scenario) => attachmentsOf(envelopes, scenario),
    junit: parseXml(readFileSync(join(at, 'junit.xml'), 'utf8')),
    page: readFileSync(join(reports, 'contract.html'), 'utf8'),
    statuses: [...readRun(envelopes).outcomes.values()].map(({ status }) => status),
  };
};

const attachmentsOf = (envelopes: readonly Envelope[], scenario: string): ReadonlyMap<string, string> => {
  const pickle = envelopes.find((envelope) => envelope.pickle?.name === scenario)?.pickle?.id;
  const testCase = envelopes.find((envelope) => envelope.testCase?.pickleId === pickle)?.testCase?.id;
  const started = envelopes.find((envelope) => envelope.testCaseStarted?.testCaseId === testCase);
  return new Map(
    envelopes.flatMap(({ attachment }): [string, string][] =>
      attachment?.fileName !== undefined && attachment.testCaseStartedId === started?.testCaseStarted?.id
        ? [[attachment.fileName, Buffer.from(attachment.body, encodingOf(attachment)).toString('latin1')]]
        : [],
    ),
  );
};

const encodingOf = ({ contentEncoding }: { readonly contentEncoding: string }): BufferEncoding =>
  contentEncoding === 'BASE64' ? 'base64' : 'utf8';
