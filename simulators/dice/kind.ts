import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { formatName, type DieColour } from '../../src/dice/protocol/index.js';
import { decode } from '../../src/http/index.js';
import type { DeviceKind } from '../device.js';
import { StartBody, temperOf } from './codecs.js';
import { VirtualDie } from './virtual-die.js';

/** The colours of dice that follow each other, by address. */
const coloursInTurn: readonly DieColour[] = ['red', 'green', 'blue', 'yellow', 'orange', 'black'];

/** The die lies on face 1 of a d6. */
const RESTING = { x: -64, y: 0, z: 0 };

const GENERATION = 4;

const lastSixDigits = (address: string): string => address.replaceAll(':', '').slice(-6);

const colourAt = (address: string): DieColour =>
  coloursInTurn[(parseInt(lastSixDigits(address), 16) + coloursInTurn.length - 1) % coloursInTurn.length] ??
  'red';

/** GoDice: name and colour come from the address unless they are given. */
export const dice: DeviceKind = {
  addressPrefix: 'D1:CE:00',
  addressType: 'random',
  prepare: (start) =>
    pipe(
      start,
      decode(StartBody, 'the die'),
      E.map((body) => (surroundings) => {
        const { address } = surroundings;
        const colour = body.color ?? colourAt(address);
        const name = body.name ?? formatName({ id: lastSixDigits(address), colour, generation: GENERATION });
        return VirtualDie.create(
          name,
          {
            colour,
            batteryLevel: body.battery_level ?? 100,
            charging: body.charging ?? false,
            resting: body.resting ?? RESTING,
            asleep: body.asleep ?? false,
            temper: temperOf(body.temper ?? {}),
          },
          surroundings,
        );
      }),
    ),
};
