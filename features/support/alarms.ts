/** Restores the alarms of a clock that scenarios cannot reset, such as a real one, since alarms ring. */
import * as E from 'fp-ts/lib/Either.js';
import { Alarms, type Alarm } from '../../src/clock/contract.js';
import { deviceAddress, object, oneOf } from '../../src/codecs/index.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

/** The part of a scenario that restoring needs. */
interface Scenario {
  readonly client: () => Promise<ClockClient>;
  readonly log: (text: string) => void;
  readonly remembered: Map<string, unknown>;
  readonly afterwards: (() => Promise<unknown>)[];
}

const AlarmCommand = object({ type: oneOf(['set_alarm', 'delete_alarm']), address: deviceAddress });

/** Undefined if the clock does not report its alarms. */
const alarmsOf = async (scenario: Scenario, address: string): Promise<readonly Alarm[] | undefined> => {
  const { result } = await (await scenario.client()).send({ type: 'read_alarms', address });
  const alarms = Alarms.decode(result);
  return E.isRight(alarms) ? alarms.right : undefined;
};

const restore = async (scenario: Scenario, address: string, alarms: readonly Alarm[]): Promise<void> => {
  const client = await scenario.client();
  const current = await alarmsOf(scenario, address);
  if (current === undefined) {
    scenario.log(`the alarms of ${address} cannot be restored: the clock does not report them`);
    return;
  }
  for (const { slot } of current) await client.send({ type: 'delete_alarm', address, slot });
  for (const alarm of alarms) await client.send({ type: 'set_alarm', address, ...alarm });
};

/** Called before a command that may change alarms: restores them at the end of the scenario. */
export const keepAlarms = async (scenario: Scenario, command: unknown): Promise<void> => {
  const decoded = AlarmCommand.decode(command);
  if (E.isLeft(decoded)) return;
  const { address } = decoded.right;
  const key = `alarms of ${address}`;
  if (scenario.remembered.has(key)) return;
  const alarms = await alarmsOf(scenario, address);
  if (alarms === undefined) return;
  scenario.remembered.set(key, alarms);
  scenario.afterwards.push(() => restore(scenario, address, alarms));
};
