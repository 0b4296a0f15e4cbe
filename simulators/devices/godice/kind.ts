import { lastSixDigits } from '../../ble/device-address.js';
import {
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
} from '../../ble/advertising-data.js';
import {
  encodeNotification,
  formatName,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  type DieColour,
} from '../../../src/protocols/godice/index.js';
import { deviceKind } from '../device-kind.js';
import { DieBehaviour } from '../any-die/behaviour.js';
import { virtualDie } from '../any-die/virtual-die.js';
import { actionsOn } from './actions.js';
import { StartBody, actionCodecs } from './codecs.js';
import { dieJson } from './json.js';
import { DieModel } from './model.js';

/** The colours of dice with consecutive addresses. */
const coloursInTurn: readonly DieColour[] = ['red', 'green', 'blue', 'yellow', 'orange', 'black'];

const GENERATION = 4;

const colourAt = (address: string): DieColour =>
  coloursInTurn[(parseInt(lastSixDigits(address), 16) + coloursInTurn.length - 1) % coloursInTurn.length] ??
  'red';

/** Name and UUID do not fit one packet (docs/godice-protocol.md §9). */
const advertisement = encodeAdvertisingData([generalDiscoverable, ...completeUuids([NUS_SERVICE])]);

/** GoDice: name and colour come from the address unless they are given. */
export const dice = deviceKind({
  addressPrefix: 'D1:CE:00',
  addressType: 'random',
  start: StartBody,
  actions: actionCodecs,
  behaviour: DieBehaviour,
  make: (start, behaviour, context) => {
    const { address } = context;
    const colour = start.color ?? colourAt(address);
    const name = start.name ?? formatName({ id: lastSixDigits(address), colour, generation: GENERATION });
    const { battery_level: batteryLevel, charging, resting, asleep } = start;
    const scanResponse = encodeAdvertisingData(name === '' ? [] : [completeName(name)]);
    return virtualDie({
      context,
      uuids: { service: NUS_SERVICE, write: NUS_WRITE, notify: NUS_NOTIFY },
      encode: encodeNotification,
      makeModel: (modelContext) =>
        new DieModel({ colour, batteryLevel, charging, resting, asleep, behaviour }, modelContext),
      nameOf: () => name,
      payloadOf: () => [advertisement, scanResponse],
      actionsOn,
      json: ({ state }) => dieJson(state),
    });
  },
});
