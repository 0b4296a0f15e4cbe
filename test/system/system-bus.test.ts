/** The system bus, with dbus-daemon. */
import { Message, Variant } from '@jellybrick/dbus-next';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { CALL_MS, systemBusOf, type Bus, type Signal } from '../../src/system/system-bus.js';
import { left, right } from '../support/either.js';
import { manualTime } from '../support/manual-time.js';
import { startBus, startService, startSilentSocket } from '../support/private-bus.js';
import { useVariables } from '../support/variables.js';

const SERVICE = 'org.bluez';
const RULE = `type='signal',sender='${SERVICE}',path_namespace='/some'`;
const DISCONNECTED = 'org.freedesktop.DBus.Error.Disconnected';

const VALUES: readonly (readonly [signature: string, value: unknown])[] = [
  ...([
    ['y', 7],
    ['b', true],
    ['n', -127],
    ['q', 0x2e5],
    ['i', -1],
    ['u', 5],
  ] as const),
  ...([
    ['s', 'text'],
    ['o', '/a/path'],
    ['ay', Buffer.of(1, 2)],
    ['as', ['a', 'b']],
  ] as const),
];

describe('The system bus', () => {
  const setVariable = useVariables();
  const time = manualTime();
  let daemon: Awaited<ReturnType<typeof startBus>>;
  let service: Awaited<ReturnType<typeof startService>>;
  let ending: (() => Promise<void> | void)[] = [];
  let bus: Bus | undefined;
  let calls: Message[];

  const open = async (...rules: readonly string[]): Promise<Bus> =>
    (bus = right(await systemBusOf(SERVICE, time)(rules)));
  const to = (member: string, name = `${SERVICE}.Test`) => ({ path: '/some/path', interface: name, member });
  /** The next `count` signals. */
  const signals = (from: Bus, count: number): Promise<readonly Signal[]> =>
    new Promise((resolve) => {
      const all: Signal[] = [];
      from.onSignal((signal) => {
        if (all.push(signal) === count) resolve(all);
      });
    });

  beforeEach(async function () {
    daemon = await startBus(this);
    setVariable('DBUS_SYSTEM_BUS_ADDRESS', daemon.address);
    calls = [];
    bus = undefined;
    service = await startService(SERVICE, (call) => {
      calls.push(call);
      if (call.member === 'Fails') return Message.newError(call, `${SERVICE}.Error.Failed`, 'a reason');
      return call.member === 'Pends' ? undefined : Message.newMethodReturn(call, call.signature, call.body);
    });
    ending = [service.close, daemon.close];
  });

  afterEach(async () => {
    bus?.close();
    for (const end of ending) await end();
    expect(time.pending).to.equal(0);
  });

  it('carries calls and replies, values of all types, and options with their types', async () => {
    const client = await open();
    const body = [Buffer.of(3), ...VALUES.map(([, value]) => value)];
    const signature = `ay${VALUES.map(([type]) => type).join('')}`;
    const options = { type: ['s', 'request'], offset: ['q', 1] } as const;
    const reply = right(await client.call({ ...to('Echo'), signature, body, options }));
    expect(reply).to.deep.equal([...body, { type: 'request', offset: 1 }]);
    expect(calls[0]?.signature).to.equal(`${signature}a{sv}`);
    expect(calls[0]?.body.at(-1)).to.deep.equal({
      type: new Variant('s', 'request'),
      offset: new Variant('q', 1),
    });
    expect(right(await client.call({ ...to('Echo'), options: {} }))).to.deep.equal([{}]);
  });

  it('delivers the signals that match a rule, with values without variants', async () => {
    const client = await open(`${RULE},member='Other'`, `${RULE},member='Changed'`);
    const received = signals(client, 2);
    const variants = Object.fromEntries(VALUES.map(([type, value]) => [type, new Variant(type, value)]));
    const companies = { 741: new Variant('ay', Buffer.of(1)) };
    const nested = { Data: new Variant('a{qv}', companies), ...variants };
    for (const path of ['/other', '/some/path'])
      service.signal(path, 'Changed', 'sa{sv}as', ['name', nested, ['RSSI']]);
    service.signal('/some', 'Unmatched');
    service.signal('/some', 'Other');
    const plain = { ...Object.fromEntries(VALUES), Data: { 741: Buffer.of(1) } };
    const all = await received;
    expect(all.map(({ serial: _, ...signal }) => signal)).to.deep.equal([
      { ...to('Changed'), body: ['name', plain, ['RSSI']] },
      { ...to('Other'), path: '/some', body: [] },
    ]);
    const [first = 0, last] = all.map(({ serial }) => serial);
    expect(last, 'after another signal of the sender').to.equal(first + 2);
  });

  it('reports a failure by its name and text', async () => {
    const client = await open();
    expect(left(await client.call(to('Fails')))).to.deep.equal({
      ...{ name: `${SERVICE}.Error.Failed`, text: 'a reason' },
    });
    const denied = left(await client.call(to('Method', `${SERVICE}.Denied`)));
    expect(denied.name).to.equal('org.freedesktop.DBus.Error.AccessDenied');
    service.close();
    const absent = await systemBusOf('org.absent', time)([]);
    const other = right(absent);
    expect(left(await other.call(to('Echo'))).name).to.match(/\.(ServiceUnknown|NameHasNoOwner)$/);
    other.close();
  });

  it('ends a call at its limit, and does not limit one without', async () => {
    const client = await open();
    const limited = client.call(to('Pends'));
    const shorter = client.call({ ...to('Pends'), ms: 100 });
    const unlimited = client.call({ ...to('Pends'), ms: null });
    right(await client.call(to('Echo')));
    time.advance(CALL_MS);
    const timeout = (ms: number) => ({
      ...{ name: 'org.freedesktop.DBus.Error.Timeout', text: `no reply within ${ms} ms` },
    });
    expect([left(await limited), left(await shorter)]).to.deep.equal([timeout(CALL_MS), timeout(100)]);
    client.close();
    expect(left(await unlimited).name).to.equal(DISCONNECTED);
  });

  it('fails all calls when it ends, and says so once', async () => {
    const client = await open();
    const reasons: string[] = [];
    const ended = new Promise<void>((resolve) =>
      client.onEnd(({ text }) => {
        reasons.push(text);
        resolve();
      }),
    );
    const pending = client.call({ ...to('Pends'), ms: null });
    right(await client.call(to('Echo')));
    await daemon.close();
    expect(left(await pending).name).to.equal(DISCONNECTED);
    await ended;
    client.close();
    expect(reasons).to.have.length(1);
    expect(left(await client.call(to('Echo'))).name).to.equal(DISCONNECTED);
  });

  it('sends the calls before its close, and fails those after it', async () => {
    const client = await open();
    const other = right(await systemBusOf('org.freedesktop.DBus', time)([]));
    void client.call({ ...to('Last'), ms: null });
    client.close();
    expect(left(await client.call(to('Late')))).to.deep.equal({
      ...{ name: DISCONNECTED, text: 'the connection is closed' },
    });
    const names = async (): Promise<number> => {
      const to = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus', member: 'ListNames' };
      const [all] = right(await other.call(to)) as readonly [readonly string[]];
      return all.filter((name) => name.startsWith(':')).length;
    };
    while ((await names()) > 2);
    expect(calls.map(({ member }) => member)).to.deep.equal(['Last']);
    other.close();
  });

  it('refuses a wrong rule', async () => {
    const refused = left(await systemBusOf(SERVICE, time)([RULE, 'nonsense']));
    expect(refused.name).to.equal('org.freedesktop.DBus.Error.MatchRuleInvalid');
  });

  it('cannot be opened without a socket', async () => {
    setVariable('DBUS_SYSTEM_BUS_ADDRESS', 'unix:path=/nonexistent/bus');
    expect(left(await systemBusOf(SERVICE, time)([]))).to.deep.equal({
      name: 'org.freedesktop.DBus.Error.NoServer',
      text: 'connect ENOENT /nonexistent/bus',
    });
  });

  it('cannot be opened at a socket that says nothing', async () => {
    const silent = await startSilentSocket();
    setVariable('DBUS_SYSTEM_BUS_ADDRESS', silent.address);
    const opened = systemBusOf(SERVICE, time)([]);
    await time.armed(CALL_MS);
    time.advance(CALL_MS);
    expect(left(await opened)).to.deep.equal({
      ...{ name: 'org.freedesktop.DBus.Error.NoServer', text: 'it does not answer' },
    });
    silent.close();
  });
});
