import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, it } from 'mocha';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { brokerOptions, fleetOptionsOf, type MqttFlags } from '../../src/cli/options/mqtt.js';
import { left, right } from '../support/either.js';
import { refusalOf } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { Consumer, startAedes } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const FLAGS: MqttFlags = {
  mqtt: new URL('mqtts://fleet@broker:8883'),
  mqttPasswordFile: undefined,
  mqttCa: undefined,
  mqttCert: undefined,
  mqttKey: undefined,
  mqttPrefix: 'airbench',
  name: 'hall',
  homeAssistant: undefined,
};

const VARIABLE = 'AIRBENCH_MQTT_PASSWORD';

const fileOf = (text: string): string => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, text);
  return path;
};

describe('Flags of the broker', () => {
  const keep = keeper();

  afterEach(async () => {
    Reflect.deleteProperty(process.env, VARIABLE);
    await endPrograms();
  });

  it('make no connection without --mqtt', () => {
    expect(fleetOptionsOf({ ...FLAGS, mqtt: undefined })).to.deep.equal(E.right(undefined));
  });

  it('prefer the password in a file, without its line ending, to the password in the environment', () => {
    process.env[VARIABLE] = 'other';
    const password = (changes: Partial<MqttFlags>) =>
      right(fleetOptionsOf({ ...FLAGS, ...changes }))?.password;
    expect(password({ mqttPasswordFile: fileOf('secret\n') })).to.equal('secret');
    expect(password({})).to.equal('other');
  });

  it('name a broker over TCP or WebSockets, with or without TLS, or by an alias', () => {
    const read = brokerOptions()[0]?.parseArg as ((url: string, before: undefined) => unknown) | undefined;
    const hrefOf = (url: string): string => String(read?.(url, undefined));
    for (const url of [
      'mqtt://broker',
      'mqtts://me@broker:8883',
      'ws://broker:9001/',
      'wss://broker/mqtt?a=b',
    ])
      expect(hrefOf(url)).to.equal(url);
    expect([hrefOf('tcp://broker'), hrefOf('SSL://broker:1')]).to.deep.equal([
      'mqtt://broker',
      'mqtts://broker:1',
    ]);
  });

  it('are refused with the reason if they are invalid or contradict each other', () => {
    const file = fileOf('rubbish');
    const mqtt = new URL('mqtt://broker');
    for (const [changes, refusal] of [
      [{ mqttCa: '/nowhere' }, '--mqtt-ca /nowhere: it cannot be read: there is no such file or folder'],
      [{ mqttCert: file }, '--mqtt-cert and --mqtt-key must be given together'],
      [{ mqttCert: file, mqttKey: file }, '--mqtt-ca, --mqtt-cert or --mqtt-key cannot be used: '],
      [{ mqtt, mqttCa: file }, 'certificates need TLS: --mqtt mqtts://broker'],
      [{ mqtt: new URL('ws://broker/x'), mqttCa: file }, 'certificates need TLS: --mqtt wss://broker/x'],
      [{ mqtt, mqttPasswordFile: file }, 'a password needs a user: --mqtt mqtt://user@broker'],
    ] as const)
      expect(left(fleetOptionsOf({ ...FLAGS, ...changes }))).to.include(refusal);
    for (const [flag, value, refusal] of [
      ['--mqtt', 'mqtt://user:secret@broker', 'it must not have a password'],
      ['--mqtt', 'http://broker', 'it must be such as mqtt://'],
      ['--mqtt', 'mqtt://broker/path', 'it must be such as mqtt://'],
      ['--mqtt', 'wss://broker/path#part', 'it must be such as mqtt://'],
      ['--home-assistant-version', '2025.11', 'there is no such flag any more: leave it out'],
      ['--roam', 'true', 'there is no such flag any more: for several rooms give one server several radios'],
      ['--name', 'a/b', 'no +, # or /'],
      ['--name', '\u200B', 'with a visible one'],
    ] as const)
      expect(refusalOf(diceCommand(), [flag, value])).to.include(refusal);
  });

  it('suggest the name of the server as an area, unless it is the name of the machine', () => {
    const areaOf = (name: string) => right(fleetOptionsOf({ ...FLAGS, name }))?.area;
    expect([areaOf('hall'), areaOf(hostname())]).to.deep.equal(['hall', undefined]);
  });

  it('reach both servers of a rig from a file, together with the password in the environment', async () => {
    const broker = keep(await startAedes());
    const passwords: string[] = [];
    broker.aedes.authenticate = (_client, user, password, done) => {
      if (user === 'fleet') passwords.push(String(password));
      done(null, true);
    };
    const config = fileOf(
      `version: 1\nmqtt: tcp://fleet@127.0.0.1:${broker.port}\nname: hall\nmqtt-prefix: home/air\n` +
        'home-assistant: true\n',
    );
    Program.rig(['--config', config], { env: { [VARIABLE]: 'secret' } });
    const consumer = keep(await Consumer.of(broker.port, 'home/air/+/servers/hall'));
    const seen = new Set<string>();
    while (seen.size < 2) seen.add((await consumer.next(() => true)).topic);
    expect([...seen].sort()).to.deep.equal(['home/air/clock/servers/hall', 'home/air/dice/servers/hall']);
    expect(new Set(passwords)).to.deep.equal(new Set(['secret']));
  });
});
