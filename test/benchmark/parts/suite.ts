import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMessages, milliseconds, type Envelope, type Time } from '../../../features/report/messages.js';
import { startFeatures } from '../../report/thrown-away.js';
import { startRig, type Rig } from '../../../features/support/rig.js';
import { DICE_TYPES, facesOf, type DiceType } from '../../../src/dice/port/values.js';
import { listenTo, portOf, post, request } from '../../support/client.js';
import { right } from '../../support/either.js';
import type { Match, Part, Scale } from '../part.js';
import { medianOf } from '../../support/statistics.js';
import { newFolder } from '../../support/folders.js';

const FACES = 'features/dice/faces.feature';

const A_SCENARIO = 'a scenario of the faces';
const ANY_SCENARIO = 'any scenario, against what it may be';
/** Seconds. */
const ALLOWED = { [ANY_SCENARIO]: 0.15 };

/** Seconds of each scenario, its hooks included. */
const durationsOf = (envelopes: readonly Envelope[]): readonly number[] => {
  const begun = new Map<string, Time>();
  return envelopes.flatMap(({ testCaseStarted: start, testCaseFinished: end }) => {
    if (start !== undefined) begun.set(start.id, start.timestamp);
    if (end === undefined) return [];
    const from = begun.get(end.testCaseStartedId);
    return from === undefined ? [] : [(milliseconds(end.timestamp) - milliseconds(from)) / 1000];
  });
};

/** Runs features as `npm run features -- ARGS` does; the median of their scenarios, s. */
const medianOfFeatures = async (reports: string, args: readonly string[]): Promise<number> => {
  const { status, stderr } = await startFeatures(args, { AIRBENCH_REPORTS: reports }).ended;
  if (status !== 0) throw new Error(`the features ended with status ${String(status)}: ${stderr}`);
  const file = join(reports, 'simulated', 'messages.ndjson');
  return medianOf(durationsOf(right(parseMessages(file, readFileSync(file, 'utf8')))));
};

const expectSame = (left: unknown, right: unknown): void => {
  if (JSON.stringify(left) !== JSON.stringify(right))
    throw new Error(`${JSON.stringify(left)} is not ${JSON.stringify(right)}`);
};

/** The requests of "Every face of a …", its hooks' among them. */
const rollEachFace = async (rig: Rig, shell: DiceType, index: number): Promise<void> => {
  const [dice, control] = [portOf(rig.dice.url), portOf(rig.control.url)];
  await request(dice, '/api/sessions');
  await post(control, '/reset', {});
  while ((await request(dice, '/ready')).status !== 200);
  const address = `D1:CE:00:00:01:${index.toString(16).padStart(2, '0')}`;
  await post(control, '/devices', { kind: 'dice', address });
  const { body } = await post(dice, '/api/connect', { address, dice_type: shell });
  const { session_id } = body as { session_id: string };
  const stream = await listenTo(dice, '/ws');
  for (const face of facesOf(shell)) {
    await post(control, `/devices/${address}/actions`, { type: 'roll', die: shell, face, ending: 'stable' });
    const [start, end] = (await stream.take(2)) as readonly { kind: string; face?: number }[];
    expectSame([start?.kind, end?.kind, end?.face], ['RollStart', 'Stable', face]);
  }
  await request(control, '/devices');
  stream.socket.close();
  await post(dice, '/api/disconnect', { session_id });
};

const bareMedian = async (rig: Rig): Promise<number> => {
  const seconds: number[] = [];
  for (const [index, shell] of DICE_TYPES.entries()) {
    const begun = performance.now();
    await rollEachFace(rig, shell, index);
    seconds.push((performance.now() - begun) / 1000);
  }
  return medianOf(seconds);
};

async function* matches({ size }: Scale): AsyncGenerator<Match> {
  const reports = newFolder();
  const rig = await startRig('bench');
  try {
    await bareMedian(rig);
    yield {
      figures: { [A_SCENARIO]: { unit: 's', goal: { atMost: 3 } } },
      ours: async () => ({
        [A_SCENARIO]: await medianOfFeatures(reports, [FACES, '--parallel', '0']),
      }),
      floor: async () => ({ [A_SCENARIO]: await bareMedian(rig) }),
    };
    if (size < 1) return;
    yield {
      figures: { [ANY_SCENARIO]: { unit: 's', goal: { atMost: 1 } } },
      ours: async () => ({ [ANY_SCENARIO]: await medianOfFeatures(reports, []) }),
      floor: () => Promise.resolve(ALLOWED),
    };
  } finally {
    await rig.close();
  }
}

export const suite: Part = {
  name: 'suite',
  summary: 'a scenario of the simulated features, against the same requests without Cucumber',
  matches,
};
