/** A server of ours as the program starts it: `radio-server dice|clock HCI-PORT|proxy:PORT FOLDER`. */
import type * as E from 'fp-ts/lib/Either.js';
import { openProxyRadio } from '../../../src/ble/esphome/index.js';
import { openRadio } from '../../../src/ble/noble/index.js';
import type { BleError, Radio } from '../../../src/ble/ports.js';
import { DEFAULT_PROTECTION } from '../../../src/http/index.js';
import { measuredRadio, openMetrics } from '../../../src/metrics/index.js';
import { systemTime } from '../../../src/async/time.js';
import { right } from '../../support/either.js';
import { cpuUsed, onQuestion, say } from './said.js';
import { openClockServer, openDiceServer } from '../../support/servers.js';

const [kind = '', place = '', dataFolder = ''] = process.argv.slice(2);
const [proxyPort] = /(?<=^proxy:)\d+/.exec(place) ?? [];
const common = {
  limits: { connect: 10_000, discover: 10_000, gatt: 10_000 },
  warn: (message: string) => console.error(message),
};
const opened: E.Either<BleError, Radio> =
  proxyPort === undefined
    ? await openRadio({ ...common, hci: { kind: 'tcp', host: '127.0.0.1', port: Number(place) } })()
    : await openProxyRadio({
        ...common,
        ...{ time: systemTime, inform: () => undefined },
        proxies: [{ host: '127.0.0.1', port: Number(proxyPort), key: undefined }],
      })();
const radio = right(opened);
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
