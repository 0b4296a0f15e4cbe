import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import type { Link, Radio } from '../../src/ble/ports.js';
import { measuredRadio } from '../../src/metrics/radio.js';
import { openMetrics, type Metrics } from '../../src/metrics/metrics.js';
import { right } from '../support/either.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { manualTime } from '../support/manual-time.js';

const DIE = 'D1:CE:00:00:00:01';

describe('A measured radio', () => {
  let fake: FakeRadio;
  let die: FakeDie;
  let metrics: Metrics;
  let radio: Radio;
  let link: Link;

  beforeEach(async () => {
    fake = new FakeRadio();
    die = fake.add(DIE);
    metrics = openMetrics('test');
    radio = measuredRadio(fake, metrics, manualTime());
    link = right(await radio.connect(DIE, [])());
  });

  const has = async (...series: readonly string[]): Promise<void> => {
    const lines = (await metrics.text()).split('\n');
    for (const line of series) expect(lines).to.include(line);
  };

  it('works like the radio that it measures', async () => {
    die.mtu = 247;
    expect([radio.state, link.address, link.mtu, link.ended]).to.deep.equal([
      'poweredOn',
      DIE,
      247,
      undefined,
    ]);
    expect(radio.lastAdvertisement(DIE)?.address).to.equal(DIE);
    expect(link.notifies('2a19')).to.equal(true);
    expect(await link.rssi()).to.deep.equal(E.right(-50));
    expect(E.isLeft(await link.read('2a19')())).to.equal(true);
    const states: string[] = [];
    const stop = radio.onState((state) => states.push(state));
    fake.power('poweredOff');
    stop();
    fake.power('poweredOn');
    expect(states).to.deep.equal(['poweredOff']);
    await has(
      'airbench_radio_operations_total{operation="connect",result="ok"} 1',
      'airbench_radio_operations_total{operation="rssi",result="ok"} 1',
      'airbench_radio_operations_total{operation="read",result="gatt_failed"} 1',
    );
  });

  it('shows the radios that can be used now', async () => {
    const [adapter, proxy] = [new FakeRadio(), new FakeRadio()];
    const combined = new CombinedRadio(
      [
        { name: 'bluez:hci0', radio: adapter },
        { name: 'kitchen.local:6053', radio: proxy },
      ],
      () => undefined,
    );
    measuredRadio(combined, metrics, manualTime());
    adapter.power('poweredOff');
    await has('airbench_radio_up{radio="bluez:hci0"} 0', 'airbench_radio_up{radio="kitchen.local:6053"} 1');
    combined.remove(proxy);
    expect(await metrics.text()).not.to.contain('kitchen');
  });

  it('counts a failed link by its cause, and its end once', async () => {
    const ends: unknown[] = [];
    link.onEnd((reason) => ends.push(reason));
    const reason = { _tag: 'Timeout', address: DIE, operation: 'write', ms: 5 } as const;
    link.fail(reason);
    await link.disconnect();
    expect([link.ended, ends]).to.deep.equal([reason, [reason]]);
    const text = await metrics.text();
    expect(text).to.include('airbench_radio_links_ended_total{cause="timeout"} 1');
    expect(text).not.to.include('operation="disconnect"');
    await has('airbench_radio_links 0');
  });

  it('counts failed and cancelled connections by cause', async () => {
    die.connectFailures = [{ _tag: 'LinkLimit', address: DIE }];
    await radio.connect(DIE, [])();
    await radio.connect(DIE, [], AbortSignal.abort())();
    await has(
      'airbench_radio_operations_total{operation="connect",result="link_limit"} 1',
      'airbench_radio_operations_total{operation="connect",result="closed"} 1',
      'airbench_radio_links 1',
    );
  });

  it('counts a defect, after which nothing is pending', async () => {
    const defect = new Error('a defect');
    fake.connect = () => () => Promise.reject(defect);
    const broken = await radio
      .connect(DIE, [])()
      .catch((thrown: unknown) => thrown);
    expect(broken).to.equal(defect);
    await has(
      'airbench_radio_operations_total{operation="connect",result="defect"} 1',
      'airbench_radio_operations_pending{operation="connect"} 0',
    );
  });

  it('listens once for all listeners, each of which receives every packet', async () => {
    const received: string[] = [];
    const listener = (): void => void received.push('same');
    const stops = [
      radio.listen(listener),
      radio.listen(listener),
      radio.listen(() => received.push('other')),
    ];
    expect(fake.listeners.size).to.equal(1);
    fake.advertise(die);
    expect(received).to.deep.equal(['same', 'same', 'other']);
    stops[0]?.();
    fake.advertise(die);
    expect(received.slice(3)).to.deep.equal(['same', 'other']);
    await has('airbench_radio_scanning 1', 'airbench_radio_scans_total 1');
    for (const stop of stops) stop();
    expect(fake.listeners.size).to.equal(0);
    radio.listen(listener)();
    await has(
      'airbench_radio_scanning 0',
      'airbench_radio_scans_total 2',
      'airbench_radio_advertisements_total 2',
    );
  });
});
