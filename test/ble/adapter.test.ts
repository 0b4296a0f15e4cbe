import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openRadio } from '../../src/ble/noble/index.js';
import {
  DEVICE,
  JUST_OFF,
  LIMITS,
  OTHER_DEVICE,
  RETRY_MS,
  linkTo,
  useRig,
} from '../support/bluetooth-fixture.js';
import { untilState } from '../support/bluetooth-proxy.js';
import { left } from '../support/either.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

/** The resources that keep the process alive, except streams to the terminal. */
const resources = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => !/^(TTY|Pipe|Immediate|TickObject|CloseReq|FSReq)/.test(name))
    .toSorted();

describe('An adapter', () => {
  const rig = useRig();

  const switchOff = async (): Promise<void> => {
    rig.fixture.server.power('hci0', false);
    await untilState(rig.radio, 'poweredOff');
  };
  const switchOn = async (): Promise<void> => {
    rig.fixture.server.power('hci0', true);
    rig.radio.time.advance(RETRY_MS);
    await untilState(rig.radio, 'poweredOn');
  };

  it('refuses connections while it is switched off', async () => {
    await rig.device();
    await rig.heard();
    await switchOff();
    expect(rig.radio.state).to.equal('poweredOff');
    expect(left(await rig.connect())).to.deep.equal(JUST_OFF);
    await switchOn();
    // Earlier packets do not count.
    expect(left(await rig.connect())).to.deep.equal({ _tag: 'NotFound', address: DEVICE });
    expect((await rig.link()).ended).to.equal(undefined);
  });

  it('ends current and waiting connects at once when it is switched off, with its state', async () => {
    await rig.device();
    await rig.heard();
    rig.outOfRange();
    const connecting = [rig.connect(), rig.connect()];
    await otherTurns();
    await switchOff();
    expect((await Promise.all(connecting)).map(left)).to.deep.equal([JUST_OFF, JUST_OFF]);
    rig.air.setReception(DEVICE, { inRange: true });
    await switchOn();
    expect((await rig.link()).ended).to.equal(undefined);
  });

  it('10. gets a new noble each time it is switched on, and leaves nothing of the old noble', async () => {
    await rig.device();
    const processListeners = process.eventNames().map((name) => process.listenerCount(name));
    for (let round = 0; round < 3; round++) {
      const link = await rig.link();
      await switchOff();
      expect(link.ended).to.deep.equal(JUST_OFF);
      expect(rig.radio.counts).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
      await switchOn();
    }
    expect(process.eventNames().map((name) => process.listenerCount(name))).to.deep.equal(processListeners);
    expect(rig.radio.warnings).to.deep.equal([]);
  });

  it('is off while its stream is gone, and on again when the stream is back', async () => {
    await rig.fixture.server.close();
    await untilState(rig.radio, 'poweredOff');
    await rig.fixture.server.listen({ host: '127.0.0.1', port: rig.fixture.port });
    rig.radio.time.advance(RETRY_MS);
    await untilState(rig.radio, 'poweredOn');
  });

  it('is AdapterUnavailable at the limit if nothing answers, and leaves nothing behind', async () => {
    const { port, server } = rig.fixture;
    await server.close();
    const time = manualTime();
    const opening = openRadio({
      ...{ hci: { kind: 'tcp', host: '127.0.0.1', port }, limits: LIMITS, warn: () => undefined, time },
    })();
    await otherTurns();
    time.advance(10_000);
    const reason = left(await opening);
    expect(reason).to.have.property('reason').that.contains(`nothing answers at tcp:127.0.0.1:${port}`);
    expect(time.pending).to.equal(0);
  });

  it('leaves no timer, listener or stream behind when it is closed', async () => {
    await rig.device();
    await otherTurns();
    const before = resources();
    const other = await rig.fixture.radio();
    const stop = other.listen(() => undefined);
    await linkTo(other);
    await other.close();
    while (rig.fixture.server.list().length > 1) await otherTurns(1);
    stop();
    await otherTurns();
    expect(resources()).to.deep.equal(before);
    expect(other.time.pending).to.equal(0);
    expect(other.counts).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
  });

  it('ends a current and a waiting connect when it is closed', async () => {
    await rig.twoDevices();
    rig.outOfRange();
    const connecting = [rig.connect(), rig.connect(OTHER_DEVICE)];
    await otherTurns();
    await rig.radio.close();
    const errors = (await Promise.all(connecting)).map(left);
    expect(errors).to.deep.equal([
      { _tag: 'Closed', address: DEVICE },
      { _tag: 'Closed', address: OTHER_DEVICE },
    ]);
    expect(rig.radio.time.pending).to.equal(0);
  });

  it('closes once if it is closed twice, and both calls wait for its end', async () => {
    await rig.device();
    const link = await rig.link();
    let links: number | undefined;
    const [first, second] = [
      rig.radio.close(),
      rig.radio.close().then(() => (links = rig.radio.counts.links)),
    ];
    await Promise.all([first, second]);
    expect([link.ended?._tag, links]).to.deep.equal(['Closed', 0]);
  });
});
