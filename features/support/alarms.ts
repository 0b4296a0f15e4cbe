/** Alarms of a clock without reset, such as a real one: a scenario restores them, since they ring. */
import * as E from 'fp-ts/lib/Either.js';
import { Alarms, type Alarm } from '../../src/clock/contract.js';
import { deviceAddress, object, oneOf } from '../../src/codecs/index.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

/** The part of a scenario that is needed here. */
interface Scenario {
  readonly client: () => Promise<ClockClient>;
  readonly log: (text: string) => void;
  readonly remembered: Map<string, unknown>;
  readonly afterwards: (() => Promise<unknown>)[];
}

const AlarmCommand = object({ type: oneOf(['set_alarm', 'delete_alarm']), address: deviceAddress });

/** Undefined where the clock does not report it. */
const alarmsOf = async (scenario: Scenario, address: string): Promise<readonly Alarm[] | undefined> => {
  const { result } = await (await scenario.client()).send({ type: 'read_alarms', address });
  const alarms = Alarms.decode(result);
  return E.isRight(alarms) ? alarms.right : undefined;
};

const putBack = async (scenario: Scenario, address: string, alarms: readonly Alarm[]): Promise<void> => {
  const client = await scenario.client();
  const now = await alarmsOf(scenario, address);
  if (now === undefined) {
    scenario.log(`the alarms of ${address} cannot be put back: it does not report them`);
    return;
  }
  for (const { slot } of now) await client.send({ type: 'delete_alarm', address, slot });
  for (const alarm of alarms) await client.send({ type: 'set_alarm', address, ...alarm });
};

/** To be called before a command: the alarms that it may change are put back when the scenario is over. */
export const keepAlarms = async (scenario: Scenario, command: unknown): Promise<void> => {
  const decoded = AlarmCommand.decode(command);
  if (E.isLeft(decoded)) return;
  const { address } = decoded.right;
  const kept = `alarms of ${address}`;
  if (scenario.remembered.has(kept)) return;
  const alarms = await alarmsOf(scenario, address);
  if (alarms === undefined) return;
  scenario.remembered.set(kept, alarms);
  scenario.afterwards.push(() => putBack(scenario, address, alarms));
};
