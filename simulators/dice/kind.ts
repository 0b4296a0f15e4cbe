import { lastSixDigits } from '../address.js';
import { formatName, type DieColour } from '../../src/dice/drivers/godice/protocol/index.js';
import { deviceKind } from '../device-kind.js';
import { BehaviourBody, behaviourOf } from '../die/behaviour.js';
import { StartBody, actionCodecs } from './codecs.js';
import { VirtualDie } from './virtual-die.js';

/** The colours of dice that follow each other, by address. */
const coloursInTurn: readonly DieColour[] = ['red', 'green', 'blue', 'yellow', 'orange', 'black'];

const GENERATION = 4;

const colourAt = (address: string): DieColour =>
  coloursInTurn[(parseInt(lastSixDigits(address), 16) + coloursInTurn.length - 1) % coloursInTurn.length] ??
  'red';

/** GoDice: name and colour come from the address unless they are given. */
export const dice = deviceKind({
  addressPrefix: 'D1:CE:00',
  addressType: 'random',
  start: StartBody,
  actions: actionCodecs,
  behaviour: BehaviourBody,
  make: (start, behaviour, context) => {
    const { address } = context;
    const colour = start.color ?? colourAt(address);
    const name = start.name ?? formatName({ id: lastSixDigits(address), colour, generation: GENERATION });
    const { battery_level: batteryLevel, charging, resting, asleep } = start;
    return new VirtualDie(
      name,
      { colour, batteryLevel, charging, resting, asleep, behaviour: behaviourOf(behaviour) },
      context,
    );
  },
});
