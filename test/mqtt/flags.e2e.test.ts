import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, it } from 'mocha';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { fleetOptionsOf, type MqttFlags } from '../../src/cli/options/mqtt.js';
import { refusalOf } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
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
  roam: false,
};

const VARIABLE = 'AIRBENCH_MQTT_PASSWORD';

const fileOf = (text: string): string => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, text);
  return path;
};

const refused = (changes: Partial<MqttFlags>): string => {
  const options = fleetOptionsOf({ ...FLAGS, ...changes });
  return E.isLeft(options) ? options.left : 'accepted';
};

describe('Flags of the broker', () => {
  afterEach(() => {
    Reflect.deleteProperty(process.env, VARIABLE);
    endPrograms();
  });

  it('are absent without --mqtt', () => {
    expect(fleetOptionsOf({ ...FLAGS, mqtt: undefined })).to.deep.equal(E.right(undefined));
  });

  it('take the password from a file, without the end of its line, before the one of the environment', () => {
    process.env[VARIABLE] = 'other';
    const password = (changes: Partial<MqttFlags>) => {
      const options = fleetOptionsOf({ ...FLAGS, ...changes });
      return E.isRight(options) ? options.right?.password : options.left;
    };
    expect(password({ mqttPasswordFile: fileOf('secret\n') })).to.equal('secret');
    expect(password({})).to.equal('other');
  });

  it('are refused where they cannot be so', () => {
    const mqttCert = fileOf('rubbish');
    expect(refused({ mqttCa: '/nowhere' })).to.equal(
      '--mqtt-ca /nowhere: it cannot be read: there is no such file or folder',
    );
    expect(refused({ mqttCert })).to.equal('--mqtt-cert and --mqtt-key must be given together');
    expect(refused({ mqttCert, mqttKey: mqttCert })).to.match(
      /^--mqtt-ca, --mqtt-cert or --mqtt-key cannot be used: /,
    );
    expect(refused({ mqtt: new URL('mqtt://broker'), mqttCa: mqttCert })).to.equal(
      'certificates need TLS: --mqtt mqtts://broker',
    );
    const mqttPasswordFile = fileOf('secret');
    expect(refused({ mqtt: new URL('mqtt://broker'), mqttPasswordFile })).to.equal(
      'a password needs a user: --mqtt mqtt://user@broker',
    );
    expect(refusalOf(diceCommand(), ['--mqtt', 'mqtt://user:secret@broker'])).to.include(
      'it must not have a password',
    );
    expect(refusalOf(diceCommand(), ['--mqtt', 'http://broker'])).to.include('it must be such as mqtt://');
    expect(refusalOf(diceCommand(), ['--name', 'a/b'])).to.include('no +, # or /');
  });

  it('of a rig, in a file, reach both servers, and the password of the environment too', async () => {
    const broker = await startAedes();
    const passwords: string[] = [];
    broker.aedes.authenticate = (_client, user, password, done) => {
      if (user === 'fleet') passwords.push(String(password));
      done(null, true);
    };
    const config = fileOf(
      `version: 1\nmqtt: mqtt://fleet@127.0.0.1:${broker.port}\nname: hall\nmqtt-prefix: home/air\n`,
    );
    const rig = Program.rig(['--config', config], { env: { [VARIABLE]: 'secret' } });
    const consumer = await Consumer.of(broker.port, 'home/air/+/servers/hall');
    const seen = new Set<string>();
    while (seen.size < 2) seen.add((await consumer.next(() => true)).topic);
    expect([...seen].sort()).to.deep.equal(['home/air/clock/servers/hall', 'home/air/dice/servers/hall']);
    expect(new Set(passwords)).to.deep.equal(new Set(['secret']));
    await rig.signal('SIGTERM');
    await consumer.close();
    await broker.close();
  });
});
