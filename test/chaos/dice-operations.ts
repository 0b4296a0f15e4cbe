import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { endpoints } from '../../src/dice/contract.js';
import { ask, control, limitOf, type Rig } from './rig.js';
import { failureIn, wrongError } from './contract.js';
import type { Tally } from './tally.js';

type Rng = () => number;

const below = (chance: Rng, limit: number): number => Math.floor(chance() * limit);
const oneOf = <A>(chance: Rng, values: readonly A[]): A => values[below(chance, values.length)] as A;
const colour = (chance: Rng): string => below(chance, 0x1000000).toString(16).padStart(6, '0').toUpperCase();

/** Random actions of people with dice, and checks of the answers. */
export class DiceOperations {
  /** By address. */
  private readonly sessions = new Map<string, string>();
  /** Every session there ever was. */
  readonly seen = new Set<string>();

  constructor(
    private readonly rig: Rig,
    private readonly tally: Tally,
  ) {}

  async any(chance: Rng): Promise<void> {
    const address = oneOf(chance, this.rig.dice);
    const session = this.sessions.get(address);
    if (session === undefined) {
      await this.connect(address);
      return;
    }
    const operations: readonly (readonly [weight: number, operation: () => Promise<unknown>])[] = [
      [30, () => this.move(address, chance)],
      [10, () => this.led(session, chance)],
      [4, () => this.pulse(session, chance)],
      [3, () => this.taps(session, chance)],
      [
        8,
        () =>
          this.ask('battery', `/api/battery/${session}`, endpoints.battery.response, { session_id: session }),
      ],
      [
        8,
        () =>
          this.ask('status', `/api/status/${session}`, endpoints.status.response, {
            session_id: session,
            address,
          }),
      ],
      [3, () => this.ask('sessions', '/api/sessions', endpoints.sessions.response)],
      [1, () => this.say('calibrate', { session_id: session }, endpoints.calibrate.response)],
      [1, () => this.say('scan?duration_secs=0.2', {}, endpoints.scan.response)],
      [2, () => this.connect(address)],
      [1, () => this.disconnect(address)],
    ];
    let left = chance() * operations.reduce((sum, [weight]) => sum + weight, 0);
    const [, chosen] = operations.find(([weight]) => (left -= weight) < 0) ?? [0, () => Promise.resolve()];
    await chosen();
  }

  /** True if there is a session afterwards. */
  async connect(address: string): Promise<boolean> {
    const made = await this.say('connect', { address }, endpoints.connect.response);
    if (made === undefined) return false;
    this.sessions.set(address, made.session_id);
    this.seen.add(made.session_id);
    return true;
  }

  async disconnect(address: string): Promise<void> {
    const session = this.sessions.get(address);
    this.sessions.delete(address);
    if (session === undefined) return;
    this.tally.requestsDisconnect(address);
    await this.say('disconnect', { session_id: session }, endpoints.disconnect.response, {
      session_id: session,
    });
  }

  private async move(address: string, chance: Rng): Promise<void> {
    const action = oneOf<object>(chance, [
      { type: 'roll', die: 'd6', face: 1 + below(chance, 6), roll_ms: below(chance, 2000) },
      { type: 'roll', die: 'd20', roll_ms: 200, ending: oneOf(chance, ['stable', 'tilt', 'fake', 'move']) },
      { type: 'turn', die: 'd6', face: 1 + below(chance, 6) },
      { type: oneOf(chance, ['tap', 'double_tap']) },
      { type: 'charge', on: chance() < 0.3 },
    ]);
    const begun = performance.now();
    await control(this.rig, this.tally, `/devices/${address}/actions`, 'POST', action);
    this.tally.done('move a die', performance.now() - begun);
  }

  private led(session_id: string, chance: Rng): Promise<unknown> {
    const colours = { led1: colour(chance), led2: colour(chance) };
    return this.say('led', { session_id, ...colours }, endpoints.led.response, { session_id });
  }

  private pulse(session_id: string, chance: Rng): Promise<unknown> {
    const pulse = { session_id, count: 1 + below(chance, 3), on_ms: 100, off_ms: 100, color: colour(chance) };
    return this.say('pulse', pulse, endpoints.pulse.response, pulse);
  }

  private taps(session_id: string, chance: Rng): Promise<unknown> {
    const taps = { session_id, single: chance() < 0.5, double: chance() < 0.5 };
    return this.say('taps', taps, endpoints.taps.response, taps);
  }

  private say<A>(
    path: string,
    body: object,
    codec: t.Decoder<unknown, A>,
    due: object = {},
  ): Promise<A | undefined> {
    return this.call(path.replace(/\?.*/, ''), 'POST', `/api/${path}`, body, codec, due);
  }

  private ask<A>(
    name: string,
    path: string,
    codec: t.Decoder<unknown, A>,
    due: object = {},
  ): Promise<A | undefined> {
    return this.call(name, 'GET', path, undefined, codec, due);
  }

  /** The body of a 200; undefined for an error. `due`: fields that the answer must have. */
  private async call<A>(
    name: string,
    method: string,
    path: string,
    body: object | undefined,
    codec: t.Decoder<unknown, A>,
    due: object,
  ): Promise<A | undefined> {
    const begun = performance.now();
    const answer = await ask(this.rig.urls.dice, path, method, body, limitOf(name));
    const ms = performance.now() - begun;
    if (answer === undefined) {
      const what = `${method} ${path} ${JSON.stringify(body ?? {})}`;
      this.tally.problem(
        `${what} was not answered within ${limitOf(name)} ms: at ${new Date().toISOString()}`,
      );
      return undefined;
    }
    if (answer.status !== 200) {
      const { error, code } = failureIn(answer.body);
      const wrong = wrongError('dice', answer.status, code, error);
      if (wrong !== undefined) this.tally.problem(`${method} ${path}: ${wrong}`);
      if (code === 'session_not_found') this.forget(path, body);
      this.tally.done(name, ms, code);
      return undefined;
    }
    const decoded = codec.decode(answer.body);
    const fields = answer.body as Readonly<Record<string, unknown>>;
    const unlike = Object.entries(due).some(([field, value]) => fields[field] !== value);
    if (E.isLeft(decoded) || unlike) {
      this.tally.problem(`${method} ${path} ${JSON.stringify(body)} answered ${JSON.stringify(fields)}`);
      return undefined;
    }
    this.tally.done(name, ms);
    return decoded.right;
  }

  private forget(path: string, body: object | undefined): void {
    for (const [address, session] of this.sessions) {
      if (path.endsWith(session) || JSON.stringify(body ?? '').includes(session))
        this.sessions.delete(address);
    }
  }
}
