/**
 * Tests of the radio as texts, with a step on each line, or several with `; ` between them:
 *
 *     central scan filterDuplicates=1        a command, or a sequence of commands; the last answer is status 0x00
 *     central leSetScanEnable -> 0x0C        the last answer is status 0x0C
 *     central readRssi -> rssi=-60           the last answer has these return parameters
 *     central hears 04 05 04 00 40 00 13     its first unread packet
 *     central hears advertisingReport type=4 its first unread packet, by fields; `key:peripheral` is an address made with this key
 *     central hears 2 scanTimeout, data 0B   two such events, and then data on a link
 *     central hears nothing                  no unread packet; Number Of Completed Packets is skipped unless it is named
 *     central forgets                        drops its unread packets
 *     central sends 01 00 04 00 0B           data on its link
 *     central writes 01 03 0C 00, 01 09 10 00 packets, without waiting for an answer
 *     central begins                         resets its controller, and enables its events
 *     central leaves; central returns        moves out of and into the range of the other hosts
 *     other joins 02:A1:B0:00:00:02          adds another host
 *     air fault device=hci0 type=silence     adds a fault; `air hits 2 0` expects the hits of each fault
 *     20 ms                                  lets 20 ms pass
 */
import { expect } from 'chai';
import { it } from 'mocha';
import { EventCode, LeSubevent, aclData, events, type EventName } from '../../src/ble/hci/packets.js';
import type { FaultSpec } from '../../simulators/radio/index.js';
import { HANDLE, ask, commandsOf, hex, send } from './command-rows.js';
import { bytes, isAcl, isEvent, isLeEvent, otherTurns, text, type AirHost } from './hci-host.js';
import { hostOn, pair } from './hci-scenes.js';
import { isOf, keys } from './privacy-scenes.js';
import { parametersOf } from './rows.js';

type Scene = Awaited<ReturnType<typeof pair>>;
type Fields = Readonly<Record<string, unknown>>;

const codes: Readonly<Record<string, number>> = EventCode;
const subevents: Readonly<Record<string, number>> = LeSubevent;

/** The fields of an event; undefined if the packet is another one. */
const fieldsOf = (name: EventName, packet: Buffer): Fields | undefined => {
  const [code = -1, subevent = -1] = [codes[name], subevents[name]];
  if (isEvent(code)(packet)) return events[name].read(packet.subarray(3));
  return isLeEvent(subevent)(packet) ? events[name].read(packet.subarray(4)) : undefined;
};

/** Whether an address was made with the key that `key:HOLDER` names. */
const isMadeWith = (keyName: unknown, address: unknown): boolean => {
  const holder = /^key:(\w+)$/.exec(String(keyName))?.[1];
  return holder !== undefined && isOf(keys[holder as keyof typeof keys], String(address));
};

const expectFields = (actual: Fields, row: string, step: string): void => {
  const expected = parametersOf(row);
  const compared = Object.entries(expected).map(([name, value]) => [
    name,
    isMadeWith(value, actual[name]) ? value : actual[name],
  ]);
  expect(Object.fromEntries(compared), step).to.deep.equal(expected);
};

const hear = (host: AirHost, expected: string, step: string): void => {
  const [name = ''] = expected.split(' ');
  if (name !== 'numberOfCompletedPackets') host.take(isEvent(EventCode.numberOfCompletedPackets));
  if (expected === 'nothing') {
    expect(host.take().map(text), step).to.deep.equal([]);
    return;
  }
  const packet = host.received.shift() ?? Buffer.alloc(0);
  if (name in events) {
    const fields = fieldsOf(name as EventName, packet);
    if (fields === undefined) expect.fail(`${step}, but heard ${text(packet)}`);
    expectFields(fields, expected, step);
  } else if (name === 'data') {
    expect(isAcl(packet) && text(aclData(packet)), step).to.equal(text(bytes(expected.replace('data', ''))));
  } else expect(text(packet), step).to.equal(text(bytes(expected)));
};

const hearAll = (host: AirHost, list: string, step: string): void => {
  for (const item of list.split(', ')) {
    const [, count = '1', expected = ''] = /^(?:(\d) )?(.*)$/.exec(item) ?? [];
    for (let time = 0; time < Number(count); time++) hear(host, expected, step);
  }
};

const command = async (host: AirHost, row: string, step: string): Promise<void> => {
  const [sent = '', expected = '0x00'] = row.split(' -> ');
  const commands = commandsOf(sent);
  for (const first of commands.slice(0, -1)) expect(hex(await send(host, first)), step).to.equal('0x00');
  const last = commands.at(-1) ?? '';
  if (expected.startsWith('0x')) expect(hex(await send(host, last)), step).to.equal(expected);
  else expectFields({ ...(await ask(host, last)) }, expected, step);
};

const actions: Readonly<
  Record<string, (host: AirHost, argument: string, step: string, scene: Scene) => Promise<void> | void>
> = {
  hears: hearAll,
  forgets: (host) => void host.take(),
  sends: (host, data) => host.acl(HANDLE, 0, bytes(data)),
  writes: (host, packets) => packets.split(', ').forEach((packet) => host.send(bytes(packet))),
  begins: (host) => host.begin(),
  leaves: ({ address }, _argument, _step, { air }) => air.setReception(address, { inRange: false }),
  returns: ({ address }, _argument, _step, { air }) => air.setReception(address, { inRange: true }),
};

/** Plays a script in a scene; all effects of a step precede the next step. */
export const play = async (scene: Scene, script: string): Promise<void> => {
  const { air, time, central, peripheral } = scene;
  const hosts = new Map([
    ['central', central],
    ['peripheral', peripheral],
  ]);
  for (const step of script.trim().split(/; |\n\s*/)) {
    const [subject = '', verb = '', ...words] = step.split(' ');
    const argument = words.join(' ');
    const host = hosts.get(subject);
    if (verb === 'ms') time.advance(Number(subject));
    else if (verb === 'joins') hosts.set(subject, await hostOn(air, { address: argument }));
    else if (verb === 'fault') air.faults.add(parametersOf(argument) as unknown as FaultSpec);
    else if (verb === 'hits')
      expect(
        air.faults
          .list()
          .map(({ hits }) => hits)
          .join(' '),
        step,
      ).to.equal(argument);
    else if (host === undefined) throw new Error(`no host: ${step}`);
    else if (verb in actions) await actions[verb]?.(host, argument, step, scene);
    else await command(host, `${verb} ${argument}`, step);
    await otherTurns();
  }
};

/** A scene in which `script` has been played. */
export const begun =
  (script: string, start: () => Promise<Scene> = pair): (() => Promise<Scene>) =>
  async () => {
    const scene = await start();
    await play(scene, script);
    return scene;
  };

/** Tests by their titles; each begins with `start`. */
export const scenes = (tests: Readonly<Record<string, string>>, start: () => Promise<Scene> = pair): void => {
  for (const [title, script] of Object.entries(tests)) it(title, async () => play(await start(), script));
};
