import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import { SILENT_MS } from '../../src/ble/esphome/subscription.js';
import { proxiesReport } from '../../src/doctor/checks.js';
import { checkLine } from '../../src/doctor/report.js';
import { gatherProxy, LISTEN_MS, proxyChecks, type ProxyFacts } from '../../src/doctor/proxies.js';
import { closeAll, open, openFixture } from '../simulators/control-fixture.js';
import { LONG_LIMITS, nextAdvertisement } from '../support/bluetooth-fixture.js';
import { right } from '../support/either.js';
import { manualTime } from '../support/manual-time.js';

const FACTS: ProxyFacts = {
  ...{ place: 'kitchen.local:6053', title: 'kitchen', isEncrypted: true, problem: undefined },
  ...{
    slots: { free: 2, limit: 3 },
    foreign: [],
    isSubscribed: true,
    advertisements: 40,
    devices: 4,
    best: -51,
  },
};

const REFUSED = {
  what: 'connection refused',
  fix: 'see whether it is on, in this network, and has `api:` in its configuration',
};

const linesOf = (facts: Partial<ProxyFacts>): readonly string[] =>
  proxyChecks({ ...FACTS, ...facts }).map(checkLine);

const KEY = Buffer.alloc(32, 9);

describe('airbench doctor --proxy', () => {
  afterEach(closeAll);

  it('says that a proxy is fit', () => {
    expect(linesOf({})).to.deep.equal([
      'ok    kitchen.local:6053 is the proxy kitchen, and the key is right',
      'ok    kitchen.local:6053 has 2 of 3 slots free',
      'ok    kitchen.local:6053 heard 40 advertisements of 4 devices within 5 s, the strongest with -51 dBm',
    ]);
  });

  it('names each problem and its remedy', () => {
    expect(linesOf({ isEncrypted: false, slots: { free: 0, limit: 3 }, devices: 0 })).to.deep.equal([
      'warn  kitchen.local:6053 is the proxy kitchen, which does not encrypt: anyone in its network can use it' +
        '  → configure `api: encryption:`, and give its key by --proxy-key-file',
      'warn  all slots of kitchen.local:6053 are in use' +
        '  → disconnect a device, in Home Assistant too, or add a proxy',
      'warn  kitchen.local:6053 heard no device within 5 s' +
        '  → bring one near and wake it; `esp32_ble_tracker:` of ESPHome must scan, and no other client may use the proxy',
    ]);
    expect(linesOf({ isSubscribed: false, devices: 0 }).at(-1)).to.equal(
      'warn  another client receives the advertisements of kitchen.local:6053' +
        '  → use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT',
    );
    expect(linesOf({ foreign: ['D1:CE:00:00:00:01'] }).at(-2)).to.equal(
      'warn  another client had devices connected through kitchen.local:6053: D1:CE:00:00:00:01; this check has taken the proxy from that client' +
        '  → restart that client if it is to use the proxy; use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT',
    );
    expect(linesOf({ foreign: ['D1:CE:00:00:00:01'], isSubscribed: false }).slice(-2)).to.deep.equal([
      'warn  another client has devices connected through kitchen.local:6053: D1:CE:00:00:00:01' +
        '  → use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT',
      'warn  another client receives the advertisements of kitchen.local:6053' +
        '  → use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT',
    ]);
    expect(linesOf({ problem: REFUSED })).to.deep.equal([
      'fail  kitchen.local:6053 cannot be used: connection refused' +
        '  → see whether it is on, in this network, and has `api:` in its configuration',
    ]);
  });

  it('is content with one of several proxies', () => {
    const facts = {
      platform: 'linux',
      nodeVersion: '22.1.0',
      nodePath: '',
      ports: [],
      linux: undefined,
    } as const;
    const unfit = proxyChecks({ ...FACTS, problem: REFUSED });
    expect(proxiesReport(facts, [unfit], ' --proxy auto')).to.include({
      healthy: false,
      run: 'see whether it is on, in this network, and has `api:` in its configuration',
    });
    const both = proxiesReport(facts, [unfit, proxyChecks(FACTS)], ' --proxy auto');
    expect(both).to.include({ healthy: true, run: 'npx airbench dice --proxy auto' });
    expect(both.checks.map(({ level }) => level)).to.deep.equal(['ok', 'warn', 'ok', 'ok', 'ok']);
  });

  const openProxy = async (fields: object) => {
    const { call } = await openFixture();
    const { json } = await call('POST', '/proxies', { name: 'hall', ...fields });
    return { call, ...(json as { readonly port: number }) };
  };

  it('hears what a proxy hears', async () => {
    const { port } = await openProxy({ slots: 5, key: KEY.toString('base64') });
    const time = manualTime();
    const gathered = gatherProxy({ host: '127.0.0.1', port, key: KEY }, time);
    await time.armed(LISTEN_MS);
    // The proxy's memory of the first device that it hears.
    await time.armed(3 * LISTEN_MS);
    time.advance(LISTEN_MS);
    const facts = await gathered;
    expect(facts).to.deep.include({ place: `127.0.0.1:${port}`, title: 'hall', isEncrypted: true });
    expect(facts).to.deep.include({
      problem: undefined,
      slots: { free: 5, limit: 5 },
      devices: 1,
      best: -60,
    });
    expect(facts.advertisements).to.be.greaterThan(0);
  });

  it('names the devices that a server has connected through the proxy', async () => {
    const { port } = await openProxy({});
    const address = { host: '127.0.0.1', port, key: undefined };
    const ignore = (): void => undefined;
    const server = right(
      await openProxyRadio({
        ...{ proxies: [address], limits: LONG_LIMITS, time: systemTime, inform: ignore, warn: ignore },
      })(),
    );
    open.push(server.close);
    const { address: die } = await nextAdvertisement(server);
    right(await server.connect(die, [])());
    const time = manualTime();
    const gathered = gatherProxy(address, time);
    await time.armed(LISTEN_MS);
    await time.armed(SILENT_MS);
    time.advance(LISTEN_MS);
    expect((await gathered).foreign).to.deep.equal([die]);
  });

  it('explains that nothing listens', async () => {
    const { port, call } = await openProxy({});
    await call('DELETE', '/proxies/hall');
    const { problem } = await gatherProxy({ host: '127.0.0.1', port, key: undefined }, manualTime());
    expect(problem?.what).to.match(/refused/);
    expect(problem?.fix).to.equal(REFUSED.fix);
  });
});
