/** A server of ours as the program starts it: `radio-server dice|clock HCI-PORT FOLDER`. */
import { startClockServer, DEFAULT_LIMITS as CLOCK_LIMITS } from '../../../src/clock/index.js';
import { DEFAULT_LIMITS as DICE_LIMITS } from '../../../src/dice/config.js';
import { startDiceServer } from '../../../src/dice/index.js';
import { openRadio } from '../../../src/ble/noble/index.js';
import { DEFAULT_PROTECTION } from '../../../src/http/index.js';
import { measuredRadio, openMetrics } from '../../../src/metrics/index.js';
import { systemTime } from '../../../src/async/time.js';
import { succeeded } from '../either.js';
import { silent } from '../../support/log.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [kind = '', hciPort, dataFolder = ''] = process.argv.slice(2);
const radio = succeeded(
  await openRadio({
    hci: { kind: 'tcp', host: '127.0.0.1', port: Number(hciPort) },
    limits: { connect: 10_000, discover: 10_000, gatt: 10_000 },
    warn: (message) => console.error(message),
  })(),
);
const metrics = openMetrics(kind);
const shared = {
  radio: measuredRadio(radio, metrics, systemTime),
  ...{ metrics, log: silent, time: systemTime },
  protection: { ...DEFAULT_PROTECTION, requestsPerMinute: 0 },
};
const at = { address: '127.0.0.1', port: 0, autoConnect: [] };
const started =
  kind === 'dice'
    ? await startDiceServer({ ...shared, config: { ...at, limits: DICE_LIMITS } })()
    : await startClockServer({ ...shared, config: { ...at, dataFolder, limits: CLOCK_LIMITS } })();
onQuestion(cpuUsed);
say({ port: succeeded<{ readonly port: number }>(started).port });
