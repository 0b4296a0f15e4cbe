/** More dice than five proxies of three slots have room for, as programs. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { type Answer, at, portOf, post, request } from '../support/client.js';
import { Listener } from '../../simulators/testing/internal/listener.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const FLAGS = ['--dice', '20', '--clocks', '0', '--proxies', '5', '--proxy-port', '0', '--pace', 'fast'];

interface Proxy {
  readonly name: string;
  readonly free: number;
  readonly devices: readonly string[];
}

interface RadioPart {
  readonly up: boolean;
  readonly slots: { readonly free: number; readonly limit: number } | null;
  readonly devices: readonly { readonly linked: boolean; readonly rssi: number | null }[];
}

describe('Twenty dice and five proxies of three slots', () => {
  let dice: number;
  let control: number;
  let waiting: string[];
  /** Sessions by address. */
  let sessions: Map<string, string>;
  let events: Listener;

  const connect = (address: string): Promise<Answer> => post(dice, '/api/connect', { address });
  /** The proxies of the dice server come first. */
  const proxies = async (): Promise<readonly Proxy[]> =>
    ((await request(control, '/proxies')).body as readonly Proxy[]).slice(0, 5);

  before(async () => {
    const rig = Program.rig(FLAGS);
    [dice, control] = [portOf(await rig.url('dice server')), portOf(await rig.url('control API'))];
    await post(dice, '/api/scan', {});
    events = await Listener.open(`${at(dice)}/ws?detail=full`);
  });
  after(endPrograms);

  it('connects fifteen at once, and says of the others which proxies have no slot', async () => {
    const all = (await request(control, '/devices')).body as readonly { readonly address: string }[];
    const answers = await Promise.all(all.map(({ address }) => connect(address)));
    const outcomes = all.map(({ address }, index) => ({ address, answer: answers[index] }));
    sessions = new Map(
      outcomes
        .filter(({ answer }) => answer?.status === 200)
        .map(({ address, answer }) => [address, (answer?.body as { session_id: string }).session_id]),
    );
    const refused = outcomes.filter(({ answer }) => answer?.status !== 200);
    waiting = refused.map(({ address }) => address);
    expect([sessions.size, waiting.length]).to.deep.equal([15, 5]);
    for (const { address, answer } of refused) {
      expect(answer?.body).to.include({ code: 'link_limit' });
      expect((answer?.body as { error: string }).error).to.match(
        new RegExp(
          `^device ${address} could not be connected: no adapter or proxy that hears it has a free slot ` +
            '\\((127\\.0\\.0\\.1:\\d+: 3 of 3 in use(, )?){5}\\)$',
        ),
      );
    }
  });

  it('shows the slots of each proxy, and the signals of the dice', async () => {
    const radios = (await request(dice, '/radios')).body as readonly RadioPart[];
    expect(radios.map(({ up, slots }) => ({ up, slots }))).to.deep.equal(
      Array(5).fill({ up: true, slots: { free: 0, limit: 3 } }),
    );
    for (const { devices } of radios) {
      expect(devices.filter(({ linked }) => linked).length).to.equal(3);
      expect(new Set(devices.map(({ rssi }) => rssi))).to.deep.equal(new Set([-60]));
    }
    expect((await proxies()).map(({ free }) => free)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('gives the place of a die that is disconnected to another', async () => {
    const [[address, session_id] = ['', '']] = sessions;
    const [next = ''] = waiting;
    expect((await post(dice, '/api/disconnect', { session_id })).status).to.equal(200);
    sessions.delete(address);
    const { status, body } = await connect(next);
    expect(status).to.equal(200);
    sessions.set(next, (body as { session_id: string }).session_id);
    expect(await connect(address)).to.deep.include({ status: 500 });
  });

  it('reports rolls in order and none twice, though a proxy restarts', async () => {
    const roll = (face: number): Promise<unknown> =>
      Promise.all(
        [...sessions.keys()].map((address) =>
          post(control, `/devices/${address}/actions`, { type: 'roll', face, roll_ms: 20 }),
        ),
      );
    const seen: DetailedDiceEvent[] = [];
    const until = async (isLast: () => boolean): Promise<void> => {
      while (!isLast()) seen.push((await events.next()) as DetailedDiceEvent);
    };
    const of = (session: string, kind: string): readonly DetailedDiceEvent[] =>
      seen.filter((event) => event.session_id === session && event.kind === kind);
    const ids = (): readonly string[] => [...sessions.values()];
    for (const face of [1, 2, 3]) {
      await roll(face);
      await until(() => ids().every((session) => of(session, 'Stable').length === face));
    }
    const [{ name, devices } = { name: '', devices: [] }] = await proxies();
    await post(control, '/faults', { type: 'proxy_down', device: name, for_ms: 300 });
    await roll(4);
    const lost = devices.map((address) => sessions.get(address) ?? '');
    expect(lost.length).to.equal(3);
    await until(() => lost.every((session) => of(session, 'Reconnected').length === 1));
    await roll(5);
    await roll(6);
    const facesOf = (session: string): readonly (number | null)[] =>
      of(session, 'Stable').map((event) => ('face' in event ? event.face : null));
    await until(() => ids().every((session) => facesOf(session).at(-1) === 6));
    for (const session of ids()) {
      const faces = facesOf(session);
      if (!lost.includes(session)) expect(faces).to.deep.equal([1, 2, 3, 4, 5, 6]);
      expect(faces).to.deep.equal([...new Set(faces)].sort());
      expect(faces).to.include.members([1, 2, 3, 5, 6]);
    }
  });
});
