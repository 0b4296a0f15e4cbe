/** Our dice server on a radio that costs nothing, with one die; `{"events": N}` has it notify so often. `dice-server [BROKER]`. */
import { setImmediate } from 'node:timers/promises';
import type { Notification } from '../../../src/dice/drivers/godice/protocol/index.js';
import { DEFAULT_PROTECTION } from '../../../src/http/index.js';
import { openMetrics } from '../../../src/metrics/index.js';
import { openFleet } from '../../../src/mqtt/open-fleet.js';
import { systemTime } from '../../../src/async/time.js';
import { FakeRadio } from '../../support/fake-radio.js';
import { post } from '../../support/client.js';
import { silent } from '../../support/log.js';
import { cpuUsed, onQuestion, say } from './said.js';
import { openDiceServer } from '../../support/servers.js';

const ADDRESS = 'D1:CE:00:00:00:01';

const [broker] = process.argv.slice(2);
const metrics = openMetrics('dice');
const fleet =
  broker === undefined
    ? undefined
    : openFleet(
        { url: new URL(broker), prefix: 'airbench', name: 'benchmark' },
        { kind: 'dice', metrics, log: silent, time: systemTime },
      );
const radio = new FakeRadio(systemTime);
const die = radio.add(ADDRESS);
const server = await openDiceServer({
  ...{ radio, fleet, metrics },
  protection: { ...DEFAULT_PROTECTION, requestsPerMinute: 0, socketsPerAddress: 10_000, sockets: 10_000 },
});
const { body } = await post(server.port, '/api/connect', { address: ADDRESS });

while (fleet?.state === 'connecting') await setImmediate();

const ROLL: readonly Notification[] = [
  { _tag: 'RollStart' },
  { _tag: 'Stable', acceleration: { x: 1, y: 63, z: -2 } },
];

onQuestion(async ({ events, at_once }) => {
  if (events === undefined) return cpuUsed();
  for (let event = 0; event < Number(events); event++) {
    const notification = ROLL[event % 2];
    if (notification !== undefined) die.say(notification);
    if (at_once !== true) await setImmediate();
  }
  return undefined;
});
say({ port: server.port, session: (body as { readonly session_id: string }).session_id });
