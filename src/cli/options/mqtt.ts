/** The broker of a server, and the name of the server there. */
import { hostname } from 'node:os';
import { createSecureContext } from 'node:tls';
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { line } from '../../codecs/index.js';
import { MAX_NAME } from '../../contract/topics.js';
import type { FleetOptions } from '../../mqtt/index.js';
import { readBytes } from '../../system/files.js';
import { missingPackage } from '../../system/packages.js';
import { flag, goneFlag, grouped, optionalTextFlag } from './options.js';
import { messageOf } from '../../system/system-error.js';

export interface MqttFlags {
  readonly mqtt: URL | undefined;
  readonly mqttPasswordFile: string | undefined;
  readonly mqttCa: string | undefined;
  readonly mqttCert: string | undefined;
  readonly mqttKey: string | undefined;
  readonly mqttPrefix: string;
  readonly name: string;
  readonly homeAssistant: string | undefined;
}

/** The protocols of brokers, each with the same protocol over TLS. */
const SECURE_PROTOCOLS: Readonly<Record<string, string>> = { 'mqtt:': 'mqtts:', 'ws:': 'wss:' };
const PROTOCOLS = Object.entries(SECURE_PROTOCOLS).flat();

const readBroker = (input: string): E.Either<string, URL> => {
  const wrong =
    'it must be such as mqtt://broker.example, mqtts://user@broker.example:8883 or wss://broker.example/mqtt';
  const text = input.replace(/^tcp:/i, 'mqtt:').replace(/^ssl:/i, 'mqtts:');
  if (!URL.canParse(text)) return E.left(wrong);
  const missing = missingPackage('mqtt');
  if (missing !== undefined) return E.left(missing);
  const url = new URL(text);
  const { protocol, host, pathname, search, hash, password } = url;
  if (password !== '')
    return E.left('it must not have a password: see --mqtt-password-file and AIRBENCH_MQTT_PASSWORD');
  const isWebSocket = protocol.startsWith('ws');
  const place = isWebSocket ? hash : `${pathname}${search}${hash}`;
  return PROTOCOLS.includes(protocol) && host !== '' && /^\/?$/.test(place) ? E.right(url) : E.left(wrong);
};

const name = line(MAX_NAME);

const readLevel = (input: string): E.Either<string, string> =>
  pipe(
    name.decode(input),
    E.filterOrElseW(
      (decoded) => !/[+#/]/.test(decoded),
      () => [],
    ),
    E.mapLeft(() => `it must be ${name.name}, and no +, # or /`),
  );

const readPrefix = (input: string): E.Either<string, string> =>
  /^[^+#\0/]+(?:\/[^+#\0/]+)*$/.test(input)
    ? E.right(input)
    : E.left('it must be one or more names with / between, without + and #');

const ofMqtt = grouped('MQTT');
const ofHomeAssistant = grouped('Home Assistant');

/** The flags to reach a broker; `text` describes `--mqtt`. */
export const brokerOptions = (
  text = 'the MQTT broker, such as mqtt://broker.example or ws://broker.example:9001/mqtt',
): readonly Option[] =>
  [
    flag<URL | undefined>('--mqtt <url>', text, readBroker, undefined),
    optionalTextFlag(
      '--mqtt-password-file <file>',
      'a file with the password of the broker; without it, AIRBENCH_MQTT_PASSWORD',
    ),
    optionalTextFlag('--mqtt-ca <file>', "the CA certificate that signed the broker's certificate, PEM"),
    optionalTextFlag('--mqtt-cert <file>', 'the client certificate for the broker, PEM'),
    optionalTextFlag('--mqtt-key <file>', 'the key of the client certificate, PEM'),
    flag('--mqtt-prefix <topic>', 'prefix of all topics', readPrefix, 'airbench'),
  ].map(ofMqtt);

export const HOME_ASSISTANT = 'homeassistant';

/** The prefix of Home Assistant's discovery topics; `fallback` is the value without the flag. */
export const homeAssistantOption = (description: string, fallback: string | undefined): Option =>
  ofHomeAssistant(
    flag<string | undefined>('--home-assistant [prefix]', description, readPrefix, fallback).preset(
      HOME_ASSISTANT,
    ),
  );

export const mqttOptions = (): readonly Option[] => [
  ...brokerOptions(
    'serve on this MQTT broker too, such as mqtt://broker.example or ws://broker.example:9001/mqtt',
  ),
  ofMqtt(
    flag('--name <name>', 'name of this server on the broker', readLevel, hostname(), "the machine's name"),
  ),
  homeAssistantOption(
    `announce the devices to Home Assistant under its discovery prefix (${HOME_ASSISTANT} by default)`,
    undefined,
  ),
  goneFlag(
    '--home-assistant-version <v>',
    'leave it out, as each Home Assistant from 2024.12 on gets the entities that it knows',
  ),
  goneFlag('--roam [boolean]', 'for several rooms give one server several radios with --proxy').preset(
    'true',
  ),
];

const VARIABLE = 'AIRBENCH_MQTT_PASSWORD';

const readFile =
  (flagName: string) =>
  (path: string | undefined): E.Either<string, Buffer | undefined> =>
    path === undefined
      ? E.right(undefined)
      : pipe(
          readBytes(path),
          E.mapLeft((reason) => `${flagName} ${path}: ${reason}`),
        );

/** Refuses combinations of options that are wrong for any broker. */
const checked = (options: FleetOptions): E.Either<string, FleetOptions> => {
  const { url, password, ca, cert, key } = options;
  if (password !== undefined && url.username === '')
    return E.left(`a password needs a user: --mqtt ${url.protocol}//user@${url.host}`);
  const secure = SECURE_PROTOCOLS[url.protocol];
  if (secure !== undefined && (ca ?? cert ?? key) !== undefined)
    return E.left(`certificates need TLS: --mqtt ${url.href.replace(url.protocol, secure)}`);
  if ((cert === undefined) !== (key === undefined))
    return E.left('--mqtt-cert and --mqtt-key must be given together');
  return E.tryCatch(
    () => {
      createSecureContext({ ca, cert, key });
      return options;
    },
    (error) => `--mqtt-ca, --mqtt-cert or --mqtt-key cannot be used: ${messageOf(error)}`,
  );
};

/** Undefined without a broker. Left: a message. */
export const fleetOptionsOf = (flags: MqttFlags): E.Either<string, FleetOptions | undefined> => {
  const { mqtt: url, homeAssistant } = flags;
  if (url === undefined)
    return homeAssistant === undefined ? E.right(undefined) : E.left('--home-assistant needs --mqtt');
  return pipe(
    E.Do,
    E.bind('file', () => readFile('--mqtt-password-file')(flags.mqttPasswordFile)),
    E.bind('ca', () => readFile('--mqtt-ca')(flags.mqttCa)),
    E.bind('cert', () => readFile('--mqtt-cert')(flags.mqttCert)),
    E.bind('key', () => readFile('--mqtt-key')(flags.mqttKey)),
    E.map(({ file, ca, cert, key }) => ({
      url,
      password: file?.toString('utf8').trimEnd() ?? process.env[VARIABLE],
      ca,
      cert,
      key,
      prefix: flags.mqttPrefix,
      name: flags.name,
      homeAssistant,
      // The default, the name of the machine, does not name an area.
      area: flags.name === hostname() ? undefined : flags.name,
    })),
    E.chain(checked),
  );
};
