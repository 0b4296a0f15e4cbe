import { DieBehaviour } from '../any-die/behaviour.js';
import { deviceKind } from '../device-kind.js';
import {
  COLORWAYS,
  defaultName,
  encodeNotification,
  facesOf,
  profileIds,
  type Colorway,
  type KnownDieType,
} from '../../../src/protocols/pixels/index.js';
import { virtualDie } from '../any-die/virtual-die.js';
import { actionsOn } from './actions.js';
import { advertisementOf, scanResponseOf } from './advertising.js';
import { actionCodecs, StartBody } from './codecs.js';
import { indexOf } from './faces.js';
import { releaseOf } from './firmware.js';
import { pixelJson } from './json.js';
import { PixelModel } from './model.js';
import type { PixelStart } from './state.js';

/** The last four bytes of an address; never 0. */
const pixelIdOf = (address: string): number => parseInt(address.replaceAll(':', '').slice(-8), 16) || 1;

/** The types of dice with consecutive addresses. */
const typesInTurn = ['d20', 'd12', 'd10', 'd10x', 'd8', 'd6', 'd4', 'd6_pipped', 'fudge'] as const;
/** All colorways but `custom`, which hides the type in advertisements. */
const colorwaysInTurn = COLORWAYS.filter((colorway) => colorway !== 'custom');

const inTurn = <A>(all: readonly A[], pixelId: number, usual: A): A =>
  all[(pixelId + all.length - 1) % all.length] ?? usual;

/** The largest ATT_MTU of dice (docs/pixels-protocol.md §1). */
const MAX_MTU = 128;

/** The advertising interval (§2). */
const INTERVAL_MS = 187.5;

/** The signal strength where the world does not know it, dBm. */
const USUAL_RSSI = -60;

/** Dice of GameWithPixels: type, colour, id and name come from the address unless they are given. */
export const pixels = deviceKind({
  addressPrefix: 'F1:CE:00',
  addressType: 'random',
  start: StartBody,
  actions: actionCodecs,
  behaviour: DieBehaviour,
  make: (start, behaviour, context) => {
    const idFromAddress = pixelIdOf(context.address);
    const pixelId = start.pixel_id === undefined ? idFromAddress : parseInt(start.pixel_id, 16);
    const type = start.die ?? inTurn<KnownDieType>(typesInTurn, idFromAddress, 'd20');
    const { firmware, charging, asleep } = start;
    const face = start.face ?? facesOf(type)[0] ?? 0;
    const fields: PixelStart = {
      type,
      colorway: start.color ?? inTurn<Colorway>(colorwaysInTurn, idFromAddress, 'clear'),
      name: start.name ?? defaultName(pixelId),
      pixelId,
      firmware,
      batteryLevel: start.battery_level,
      charging,
      faceIndex: indexOf({ type, firmware }, face, () => 0) ?? 0,
      asleep,
      behaviour,
    };
    return virtualDie({
      context,
      uuids: profileIds[releaseOf(firmware).profile],
      encode: encodeNotification,
      makeModel: (modelContext) =>
        new PixelModel(fields, { rssi: () => context.rssi() ?? USUAL_RSSI, ...modelContext }),
      nameOf: ({ state }) => state.name,
      payloadOf: ({ state, batteryState }) => [advertisementOf(state, batteryState), scanResponseOf(state)],
      actionsOn,
      json: ({ state }) => pixelJson(state),
      maxMtu: MAX_MTU,
      intervalMs: INTERVAL_MS,
    });
  },
});
