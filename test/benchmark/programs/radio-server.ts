/** A server of ours as the program starts it: `radio-server dice|clock HCI-PORT FOLDER`. */
import { openRadio } from '../../../src/ble/noble/index.js';
import { DEFAULT_PROTECTION } from '../../../src/http/index.js';
import { measuredRadio, openMetrics } from '../../../src/metrics/index.js';
import { systemTime } from '../../../src/async/time.js';
import { right } from '../../support/either.js';
import { cpuUsed, onQuestion, say } from './said.js';
import { openClockServer, openDiceServer } from '../../support/servers.js';

const [kind = '', hciPort, dataFolder = ''] = process.argv.slice(2);
const radio = right(
  await openRadio({
    hci: { kind: 'tcp', host: '127.0.0.1', port: Number(hciPort) },
    limits: { connect: 10_000, discover: 10_000, gatt: 10_000 },
    warn: (message) => console.error(message),
  })(),
);
const metrics = openMetrics(kind);
const shared = {
  radio: measuredRadio(radio, metrics, systemTime),
  metrics,
  protection: { ...DEFAULT_PROTECTION, requestsPerMinute: 0 },
};
const { port } =
  kind === 'dice'
    ? await openDiceServer(shared)
    : await openClockServer({ ...shared, config: { dataFolder } });
onQuestion(cpuUsed);
say({ port });
