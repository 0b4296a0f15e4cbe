/** Alarms of a clock that nobody resets, a real one say: a scenario leaves them as it found them, since they ring. */
import * as E from 'fp-ts/lib/Either.js';
import { Alarms, type Alarm } from '../../src/clock/contract.js';
import { deviceAddress, object, oneOf } from '../../src/codecs/index.js';
import type { BenchWorld } from './world.js';

const AlarmCommand = object({ type: oneOf(['set_alarm', 'delete_alarm']), address: deviceAddress });

/** Undefined where the clock does not tell. */
const alarmsOf = async (world: BenchWorld, address: string): Promise<readonly Alarm[] | undefined> => {
  const { result } = await (await world.client()).command({ type: 'read_alarms', address });
  const alarms = Alarms.decode(result);
  return E.isRight(alarms) ? alarms.right : undefined;
};

const putBack = async (world: BenchWorld, address: string, found: readonly Alarm[]): Promise<void> => {
  const client = await world.client();
  const now = await alarmsOf(world, address);
  if (now === undefined) {
    world.log(`the alarms of ${address} cannot be put back: it does not tell them`);
    return;
  }
  for (const { slot } of now) await client.command({ type: 'delete_alarm', address, slot });
  for (const alarm of found) await client.command({ type: 'set_alarm', address, ...alarm });
};

/** To be called before a command: the alarms that it may change are put back when the scenario is over. */
export const keepAlarms = async (world: BenchWorld, command: unknown): Promise<void> => {
  const decoded = AlarmCommand.decode(command);
  if (E.isLeft(decoded)) return;
  const { address } = decoded.right;
  const kept = `alarms of ${address}`;
  if (world.remembered.has(kept)) return;
  const found = await alarmsOf(world, address);
  if (found === undefined) return;
  world.remembered.set(kept, found);
  world.afterwards.push(() => putBack(world, address, found));
};
