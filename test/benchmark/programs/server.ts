/**
 * A server of airbench, with a store: `server dice|clock hci:PORT|proxy:PORT` on a radio, or `server dice fake [BROKER]` with one
 * die on a fake radio without costs. After `{"events": N}` the die notifies N times; `face`: of its last roll.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemTime } from '../../../src/async/time.js';
import { openProxyRadio } from '../../../src/ble/esphome/index.js';
import { openRadio } from '../../../src/ble/noble/index.js';
import type { Radio } from '../../../src/ble/ports.js';
import type { Notification } from '../../../src/protocols/godice/index.js';
import { DEFAULT_PROTECTION } from '../../../src/http/index.js';
import { measuredRadio } from '../../../src/metrics/radio.js';
import { openMetrics } from '../../../src/metrics/metrics.js';
import { openFleet } from '../../../src/mqtt/open-fleet.js';
import { HttpClient } from '../../../simulators/testing/internal/http-client.js';
import { openStore, type Store } from '../../../src/store/store.js';
import { right } from '../../support/either.js';
import { newFolder, removeFolders } from '../../support/folders.js';
import { FakeRadio } from '../../support/fake-radio.js';
import { silent } from '../../support/log.js';
import { openClockServer, openDiceServer } from '../../support/servers.js';
import { serve } from './serve.js';

const ADDRESS = 'D1:CE:00:00:00:01';
/** Accelerations of faces of a d6. */
const RESTS = { 1: { x: -64, y: 0, z: 0 }, 3: { x: 1, y: 63, z: -2 }, 6: { x: 64, y: 0, z: 0 } };
const rollTo = (face: keyof typeof RESTS): readonly Notification[] => [
  { _tag: 'RollStart' },
  { _tag: 'Stable', acceleration: RESTS[face] },
];

const ROLL = rollTo(3);

const [kind = '', place = '', broker] = process.argv.slice(2);
const metrics = openMetrics(kind);
const protection = {
  ...DEFAULT_PROTECTION,
  ...{ requestsPerMinute: 0, socketsPerAddress: 10_000, sockets: 10_000 },
};

process.on('exit', removeFolders);
const openFile = (migrations: readonly string[]): Store =>
  openStore({ path: join(newFolder(), 'store.sqlite'), migrations, time: systemTime, log: silent });

const openPlace = async (): Promise<Radio> => {
  const [source, port] = place.split(':');
  const common = {
    limits: { connect: 10_000, discover: 10_000, gatt: 10_000 },
    warn: (message: string) => console.error(message),
  };
  const at = { host: '127.0.0.1', port: Number(port) };
  if (source !== 'proxy') return right(await openRadio({ ...common, hci: { kind: 'tcp', ...at } })());
  const proxies = [{ ...at, key: undefined }];
  return right(await openProxyRadio({ ...common, proxies, time: systemTime, inform: () => undefined })());
};

const serveFakeDie = async (): Promise<void> => {
  const fleet =
    broker === undefined
      ? undefined
      : openFleet(
          { url: new URL(broker), prefix: 'airbench', name: 'benchmark' },
          { kind: 'dice', metrics, log: silent, time: systemTime },
        );
  const radio = new FakeRadio(systemTime);
  const die = radio.add(ADDRESS);
  const { port } = await openDiceServer({
    ...{ radio, fleet, metrics, protection, openStore: openFile },
  });
  const { json } = await new HttpClient(`http://127.0.0.1:${port}`).post('/api/connect', {
    address: ADDRESS,
  });
  while (fleet?.state === 'connecting') await setImmediate();
  serve({ port, session: (json as { readonly session_id: string }).session_id }, async (question) => {
    const { events, face, at_once } = question;
    const count = Number(events);
    for (let event = 0; event < count; event++) {
      const isLastRoll = event >= count - 2 && (face === 1 || face === 6);
      const notification = (isLastRoll ? rollTo(face) : ROLL)[event % 2];
      if (notification !== undefined) die.say(notification);
      if (at_once !== true) await setImmediate();
    }
  });
};

if (place === 'fake') await serveFakeDie();
else {
  const options = {
    radio: measuredRadio(await openPlace(), metrics, systemTime),
    ...{ metrics, protection, openStore: openFile },
  };
  const { port } = await (kind === 'dice' ? openDiceServer(options) : openClockServer(options));
  serve({ port });
}
