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
Then('it fails on purpose', () => { throw new Error('on purpose, with ' + process.env.AIRBENCH_TOKEN); });
`;

/** A token that the features know, and a step's message has. */
export const TOKEN = 'a-token-of-a-server';

export interface Outcome {
  readonly status: number | null;
  readonly printed: string;
  /** The texts of the attachments of a scenario, by file name. */
  readonly attached: (scenario: string) => ReadonlyMap<string, string>;
  readonly messages: string;
  readonly junit: Element;
  readonly page: string;
  readonly statuses: readonly Status[];
}

/** `npm run features` without a terminal. */
export const startFeatures = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Program =>
  Program.airbench(['features', ...args], { env });

/** The flags of a run on the servers of a rig. */
export const urlFlags = async (rig: Program): Promise<readonly string[]> => [
  ...['--dice', await rig.url('dice server')],
  ...['--clock', await rig.url('clock server')],
  ...['--control', await rig.url('control API')],
];

/** Runs the features on the servers that `args` name, or on a rig of one worker. `bench`: the bench of these arguments. */
export const runFeature = async (bench: string, args: readonly string[] = []): Promise<Outcome> => {
  const folder = newFolder();
  writeFileSync(join(folder, 'thrown-away.feature'), FEATURE);
  writeFileSync(join(folder, 'steps.mjs'), STEPS);
  const reports = join(folder, 'reports');
  const { status, stdout, stderr } = await startFeatures(
    [
      ...['--import', join(folder, 'steps.mjs'), '--report', reports, ...args],
      ...(bench === 'simulated' ? ['--parallel', '1'] : []),
      join(folder, 'thrown-away.feature'),
    ],
    { AIRBENCH_TOKEN: TOKEN },
  ).ended;
  const at = join(reports, bench);
  const messages = join(at, 'messages.ndjson');
  const envelopes = right(parseMessages(messages, readFileSync(messages, 'utf8')));
  return {
    status,
    printed: stdout + stderr,
    messages: readFileSync(messages, 'utf8'),
    attached: (scenario) => attachmentsOf(envelopes, scenario),
    junit: parseXml(readFileSync(join(at, 'junit.xml'), 'utf8')),
    page: readFileSync(join(reports, 'acceptance.html'), 'utf8'),
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
