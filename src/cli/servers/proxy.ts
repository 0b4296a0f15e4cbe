/** `airbench proxy`: an adapter, or a virtual radio, as a Bluetooth proxy of ESPHome. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { systemTime } from '../../async/time.js';
import type { HciSpec } from '../../ble/hci/spec.js';
import {
  ADAPTER_SLOTS,
  MAX_CLIENTS,
  MAX_SLOTS,
  PROXY_NAME,
  SUBSCRIBERS,
  USUAL_CLIENTS,
  type ProxySubscriber,
} from '../../contract/proxies.js';
import { DEFAULT_PORT } from '../../protocols/esphome/port.js';
import { missingPackage } from '../../system/packages.js';
import { withConfig, withLog } from '../options/common-flags.js';
import { readKeyOf } from '../options/keys.js';
import {
  choiceFlag,
  flag,
  grouped,
  hciFlag,
  integerFlag,
  optionalTextFlag,
  portFlag,
  readAddress,
  switchFlag,
  textFlag,
} from '../options/options.js';
import { checkPorts } from '../options/ports.js';
import { openLog } from '../output/log.js';
import { proxyUrl, run, type Running } from '../process/run.js';
import { radioTrace } from '../output/radio-trace.js';

interface ProxyFlags {
  readonly address: string;
  readonly port: number;
  readonly hci: HciSpec;
  readonly name: string;
  /** Undefined: an address made of the names of this machine and of the proxy. */
  readonly mac: string | undefined;
  readonly slots: number;
  readonly subscriber: ProxySubscriber;
  readonly maxClients: number;
  readonly keyFile: string | undefined;
  readonly mdns: boolean;
  readonly verbose: number;
}

const NAME = new RegExp(`^${PROXY_NAME}$`);

const readName = (input: string): E.Either<string, string> =>
  NAME.test(input)
    ? E.right(input)
    : E.left('it must be 1 to 31 lower-case letters, digits and hyphens, such as proxy-kitchen');

const defaultName = (): string =>
  `airbench-${hostname()
    .toLowerCase()
    .replace(/\..*$/, '')
    .replace(/[^a-z0-9]+/g, '-')}`
    .slice(0, 31)
    .replace(/-+$/, '');

/** A locally administered address, the same at each start. */
const macOf = (name: string): string => {
  const digest = createHash('sha256').update(`${hostname()} ${name}`).digest('hex').toUpperCase();
  return ['02', ...(digest.slice(0, 10).match(/../g) ?? [])].join(':');
};

const options = (): readonly Option[] =>
  [
    ...[
      textFlag('--address <address>', 'address to listen on', '0.0.0.0'),
      portFlag('--port <number>', 'port to listen on; 0 takes a free one', DEFAULT_PORT),
      switchFlag('--mdns', 'announce the proxy on its network, as _esphomelib._tcp'),
    ].map(grouped('Network')),
    hciFlag(),
    flag<string>('--name <name>', 'name of the proxy', readName, defaultName()),
    flag<string | undefined>(
      '--mac <address>',
      'address by which clients know the proxy',
      readAddress,
      undefined,
      'made of the names of machine and proxy',
    ),
    integerFlag(
      '--slots <number>',
      'number of devices that the proxy connects at once',
      { min: 1, max: MAX_SLOTS },
      ADAPTER_SLOTS,
    ),
    choiceFlag(
      '--subscriber <which>',
      'clients that receive advertisements, and connect devices, if several subscribe: all; or, as with ESPHome, the newest, or before 2026.7 the first',
      SUBSCRIBERS,
      'all',
    ),
    integerFlag(
      '--max-clients <number>',
      'number of clients that may be connected at once',
      { min: 1, max: MAX_CLIENTS },
      USUAL_CLIENTS,
    ),
    optionalTextFlag(
      '--key-file <file>',
      'encrypt all connections, with the key in this file (32 bytes in base64)',
    ),
  ].map(grouped('Proxy'));

const readOwnKey = (file: string | undefined, name: string): E.Either<string, Buffer | undefined> =>
  file === undefined
    ? E.right(undefined)
    : pipe(
        readKeyOf(file, name),
        E.mapLeft((reason) => `--key-file: ${reason}`),
      );

/** Left is a message. */
const start = (flags: ProxyFlags): TE.TaskEither<string, Running> => {
  const { name, address, slots, subscriber, maxClients, mac = macOf(name) } = flags;
  const log = openLog('proxy', flags.verbose);
  const missing = flags.mdns ? missingPackage('bonjour-service') : undefined;
  if (missing !== undefined) return TE.left(`--mdns: ${missing}`);
  const announced = async (port: number, encrypted: boolean): Promise<Task<void>> => {
    if (!flags.mdns) return () => Promise.resolve();
    const [{ announceProxy }, { ESPHOME_VERSION }, { NOISE_PROTOCOL }] = await Promise.all([
      import('./mdns.js'),
      import('../../proxy/identity.js'),
      import('../../protocols/esphome/noise.js'),
    ]);
    const txt = {
      ...{ mac: mac.replaceAll(':', '').toLowerCase(), version: ESPHOME_VERSION, friendly_name: name },
      ...(encrypted && { api_encryption: NOISE_PROTOCOL }),
    };
    return announceProxy({ name, address, port, txt }, log);
  };
  return pipe(
    checkPorts([{ flag: '--port', address, port: flags.port }]),
    TE.chainEitherK(() => readOwnKey(flags.keyFile, name)),
    TE.bindTo('key'),
    TE.bind('rooms', () =>
      TE.fromTask(async () => ({
        ...(await import('../../ble/noble/index.js')),
        ...(await import('../../proxy/server.js')),
        ...(await import('../../operations/index.js')),
      })),
    ),
    TE.bind('radio', ({ rooms: { openRadio, deviceMessage, LINK_LIMITS } }) =>
      pipe(
        openRadio({
          ...{ hci: flags.hci, limits: LINK_LIMITS, tap: radioTrace(log).packets },
          warn: (message, error) => log.warn({ err: error }, message),
        }),
        TE.mapLeft(deviceMessage),
      ),
    ),
    TE.chain(({ key, radio, rooms: { startProxy } }) =>
      pipe(
        startProxy({
          ...{ radio, log, address, name, mac, slots, subscriber, maxClients, key },
          ...{ time: systemTime, port: flags.port, tap: radioTrace(log).messagesOf('clients') },
        }),
        TE.bind('silence', ({ port }) => TE.fromTask(() => announced(port, key !== undefined))),
        TE.map(({ port, close, silence }) => ({
          ready: [`proxy ${name}  ${proxyUrl(address, port)}  ${mac}  slots ${slots}`],
          log,
          warnings:
            key === undefined && !['127.0.0.1', '::1', 'localhost'].includes(address)
              ? [
                  'anyone on this network can use the proxy: --key-file encrypts connections, --address 127.0.0.1 keeps it to this machine',
                ]
              : [],
          port,
          close: async () => {
            await silence();
            await close();
            await radio.close();
          },
        })),
        TE.orElseFirstTaskK(() => radio.close),
      ),
    ),
  );
};

const EXAMPLES = `
Examples:
  npx airbench proxy                                          this machine's adapter, port ${DEFAULT_PORT}
  npx airbench proxy --hci tcp:localhost:6402                 a virtual radio
  npx airbench proxy --key-file proxy.key --mdns              encrypted, and found by Home Assistant
  npx airbench dice --proxy esphome://localhost               dice through a proxy`;

export const proxyCommand = (): Command => {
  const command = new Command('proxy').description(
    'serve a Bluetooth adapter, or a virtual radio, as a Bluetooth proxy of ESPHome',
  );
  for (const option of options()) command.addOption(option);
  return withLog(withConfig(command))
    .addHelpText('after', EXAMPLES)
    .action((flags: ProxyFlags) => run(start(flags)));
};
