/** Links through a proxy whose answers the test sends. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { DEFAULT_MEMORY } from '../../src/ble/advertisement-cache.js';
import { GIVE_WAY_MS } from '../../src/ble/connect-queue.js';
import { Hearing } from '../../src/ble/esphome/hearing.js';
import { ProxyLinks } from '../../src/ble/esphome/links.js';
import { CachedServices } from '../../src/ble/esphome/services.js';
import type { BleError } from '../../src/ble/ports.js';
import { Status } from '../../src/ble/hci/status.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  MOST_ATTRIBUTES,
  type ApiConnection,
} from '../../src/protocols/esphome/index.js';
import { left, right } from '../support/either.js';
import { bytes, otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const [A, B, C] = ['D1:CE:00:00:00:01', 'D1:CE:00:00:00:02', 'D1:CE:00:00:00:03'];
const OFF: BleError = { _tag: 'AdapterOff', state: 'poweredOff', reason: 'the proxy kitchen:6053 is gone' };
const NO_ERROR = 0;
const SLOTS = 3;
const CONNECT_MS = 20_000;
/** How long a proxy may take to end an attempt. */
const DISCONNECT_MS = 5_000;

describe('The links through a proxy', () => {
  /** `limit`: the number of slots; undefined until the proxy reports it. */
  const fixture = ({ limit }: { readonly limit: number | undefined } = { limit: SLOTS }) => {
    const time = manualTime();
    const requests: string[] = [];
    const connection = {
      send: (
        name: string,
        { address, requestType }: { readonly address: bigint; readonly requestType: number },
      ) => {
        if (name !== 'DeviceRequest') return;
        const type = requestType === DeviceRequestType.disconnect ? 'disconnect' : 'connect';
        requests.push(`${type} ${addressText(address)}`);
      },
    } as unknown as ApiConnection;
    const hearing = new Hearing(time, DEFAULT_MEMORY);
    const links = new ProxyLinks({
      ...{ name: 'kitchen:6053', time, hearing, connection: () => connection },
      limits: { connect: CONNECT_MS, discover: 5_000, gatt: 5_000 },
      has: () => false,
      off: () => OFF,
      slots: () => (limit === undefined ? undefined : { free: limit, limit }),
    });
    for (const address of [A, B])
      hearing.add({ address: addressNumber(address), rssi: -60, addressType: 1, data: bytes('02 01 06') });
    const answer = async (address: string, connected: boolean, error: number = NO_ERROR): Promise<void> => {
      links.changed({ ...{ address: addressNumber(address), connected, mtu: 23, error } });
      await otherTurns();
    };
    const begin = async (...services: readonly string[]) => {
      const profile = services.map((service) => ({ service, characteristics: [] }));
      const outcome = links.connect(A, profile)();
      await otherTurns();
      return { outcome };
    };
    /** Connects A; without `services` there is no discovery. */
    const connect = async (...services: readonly string[]) => {
      const begun = await begin(...services);
      await answer(A, true);
      return begun;
    };
    /** Answers discovery. */
    const offer = (device: string, ...uuids: readonly number[]): void => {
      const address = addressNumber(device);
      const services = uuids.map((shortUuid) => ({ uuid: [], shortUuid, handle: 1, characteristics: [] }));
      links.receive({ name: 'GetServicesResponse', message: { address, services } });
      links.receive({ name: 'GetServicesDoneResponse', message: { address } });
    };
    return { time, requests, links, hearing, answer, offer, begin, connect };
  };

  it('are not made after their end, though a request waited for an earlier link to end', async () => {
    const { time, requests, links, hearing, connect, begin } = fixture();
    right(await (await connect()).outcome);
    const closing = links.close();
    const late = await begin();
    await time.pass(1_000);
    await Promise.all([closing, time.pass(0)]);
    const outcome = await Promise.race([late.outcome, otherTurns()]);
    expect(outcome && left(outcome)).to.deep.equal({ _tag: 'Closed', address: A });
    hearing.close();
    expect([requests, time.pending]).to.deep.equal([[`connect ${A}`, `disconnect ${A}`], 0]);
  });

  it('discard a link that is made while its attempt gives way to another device, and make it later', async () => {
    const { time, requests, links, answer } = fixture();
    const outcomes: string[] = [];
    for (const address of [A, B])
      void links
        .connect(address, [])()
        .then((outcome) => outcomes.push(`${address} ${outcome._tag}`));
    await otherTurns();
    const [first = A] = requests.splice(0).map((request) => request.replace('connect ', ''));
    const second = first === A ? B : A;

    time.advance(GIVE_WAY_MS);
    expect(requests.splice(0)).to.deep.equal([`disconnect ${first}`]);
    await answer(first, true);
    expect(requests.splice(0)).to.deep.equal([`disconnect ${first}`]);
    await answer(first, false, Status.localHostTerminated);
    expect([requests.splice(0), outcomes]).to.deep.equal([[`connect ${second}`], []]);

    await answer(second, true);
    expect(requests).to.deep.equal([`connect ${first}`]);
    await answer(first, true);
    expect(outcomes).to.deep.equal([`${second} Right`, `${first} Right`]);
  });

  for (const [title, error, limit, full] of [
    ['with all slots in use, even if the proxy last reported free slots', NO_ERROR, SLOTS, '3 of 3 in use'],
    [
      'with all slots in use, even if the proxy has not reported its slots',
      NO_ERROR,
      undefined,
      'all in use',
    ],
    ['because other clients use all slots', NO_ERROR, 0, 'all in use'],
    [
      'because of the adapter of the proxy',
      Status.connectionLimitExceeded,
      SLOTS,
      'its adapter takes no other link',
    ],
  ] as const)
    it(`are refused ${title}`, async () => {
      const { answer, begin } = fixture({ limit });
      const { outcome } = await begin();
      await answer(A, false, error);
      expect(left(await outcome)).to.deep.equal({
        ...{ _tag: 'LinkLimit', address: A, full: `kitchen:6053: ${full}` },
      });
    });

  it('end if the proxy reports a link and its end at once', async () => {
    const { requests, answer, begin } = fixture();
    const { outcome } = await begin();
    void answer(A, true);
    void answer(A, false, Status.connectionTimeout);
    const link = right(await outcome);
    expect(link.ended).to.deep.equal({
      ...{ _tag: 'LinkLost', address: A, reason: Status.connectionTimeout },
    });
    expect(requests).to.deep.equal([`connect ${A}`]);
  });

  it('forget the advertisement of a device with other services', async () => {
    const { hearing, answer, offer, connect } = fixture();
    const { outcome } = await connect('beef');
    offer(A, 0x1800);
    await otherTurns();
    expect(hearing.cache.get(A)).to.equal(undefined);
    await answer(A, false);
    expect(left(await outcome)).to.include({ _tag: 'GattFailed', reason: 'the device has no service beef' });
  });

  it('are closed even if the proxy does not answer', async () => {
    const { time, requests, links, connect } = fixture();
    const { outcome: connecting } = await connect();
    const link = right(await connecting);
    void links.connect(B, [])();
    await otherTurns();
    const ended = link.disconnect();
    const closed = links.close();
    await time.pass(1_000);
    await Promise.all([ended, closed]);
    expect(link.ended?._tag).to.equal('Closed');
    expect(requests).to.have.members([`connect ${A}`, `connect ${B}`, `disconnect ${A}`, `disconnect ${B}`]);
  });

  it('are made once more if the proxy still has the link of an earlier client, without services', async () => {
    const { requests, answer, offer, connect } = fixture();
    const { outcome } = await connect('1800');
    offer(A);
    await otherTurns();
    await answer(A, false, Status.localHostTerminated);
    await answer(A, true);
    offer(A, 0x1800);
    expect(right(await outcome).ended).to.equal(undefined);
    expect(requests).to.deep.equal([`connect ${A}`, `disconnect ${A}`, `connect ${A}`]);
  });

  it('are not made a third time without services', async () => {
    const { requests, links, hearing, answer, offer } = fixture();
    const outcome = links.connect(A, [{ service: '1800', characteristics: [] }])();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await otherTurns();
      await answer(A, true);
      offer(A);
      await otherTurns();
      await answer(A, false, Status.localHostTerminated);
    }
    expect(left(await outcome)).to.include({ _tag: 'GattFailed', reason: 'the proxy finds no services' });
    expect(requests).to.have.length(4);
    expect(hearing.cache.get(A)).not.to.equal(undefined);
  });

  for (const [how, first] of [
    ['comes after its limit', undefined],
    ['crosses the loss of the link', Status.connectionTimeout],
  ] as const)
    it(`are made though the answer to a disconnection ${how}`, async () => {
      const { time, requests, answer, begin, connect } = fixture();
      const { outcome: connecting } = await connect();
      void right(await connecting).disconnect();
      if (first === undefined) await time.pass(DISCONNECT_MS);
      else await answer(A, false, first);
      const { outcome } = await begin();
      await answer(A, false, NO_ERROR);
      // A proxy ignores the first request, which has come during the disconnection.
      expect(requests).to.deep.equal([`connect ${A}`, `disconnect ${A}`, `connect ${A}`, `connect ${A}`]);
      await answer(A, true);
      expect(right(await outcome).ended).to.equal(undefined);
    });

  it('are made though a link without a client is ended at the same time', async () => {
    const { requests, answer, begin } = fixture();
    await answer(A, true);
    const { outcome } = await begin();
    await answer(A, false, Status.localHostTerminated);
    expect(requests).to.deep.equal([`disconnect ${A}`, `connect ${A}`, `connect ${A}`]);
    await answer(A, true);
    expect(right(await outcome).ended).to.equal(undefined);
  });

  it('end a link that is made after its attempt was given up, so that it does not keep its slot', async () => {
    const { time, requests, answer, begin } = fixture();
    const { outcome } = await begin();
    time.advance(CONNECT_MS);
    await time.pass(DISCONNECT_MS);
    expect((await outcome)._tag).to.equal('Left');
    expect(requests.splice(0)).to.deep.equal([`connect ${A}`, `disconnect ${A}`]);
    await answer(A, true);
    expect(requests).to.deep.equal([`disconnect ${A}`]);
    await answer(A, false);
    expect(requests).to.deep.equal([`disconnect ${A}`]);
  });

  it('cache the services of devices, without the oldest beyond the most attributes of one device', () => {
    const service = { uuid: [], shortUuid: 0xff00, handle: 1, characteristics: [] };
    const cache = new CachedServices(() => undefined);
    const half = Array.from({ length: MOST_ATTRIBUTES / 2 }, () => service);
    cache.keep(A, half);
    cache.keep(B, half);
    cache.keep(A, half);
    cache.keep(C, half);
    expect([A, B, C].filter((address) => cache.get(address) !== undefined)).to.deep.equal([A, C]);
  });
});
