/** Random operations on dice and clocks, and checks of their answers. */
import type { Call, HttpClient } from '../../simulators/testing/internal/http-client.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { checkMessage } from '../../features/clients/clients.js';
import { commands, type CommandName } from '../../src/clock/contract.js';
import type { Site } from './site.js';
import type { Tally } from './tally.js';

type Chance = () => number;
type Fields = Readonly<Record<string, unknown>>;
type Command = Fields & { readonly type: CommandName };
type Weighted<A> = readonly [weight: number, value: A];

/** The limits of an operation. An attempt to connect waits for the attempts of all other devices. */
const LIMIT_MS = 30_000;
const LONG_MS = 60_000;
const LONG: readonly string[] = ['connect', 'clock: connect', 'clock: upload_ringtone'];

const below = (chance: Chance, limit: number): number => Math.floor(chance() * limit);
const oneOf = <A>(chance: Chance, values: readonly A[]): A => values[below(chance, values.length)] as A;
const colour = (chance: Chance): string =>
  below(chance, 0x1000000).toString(16).padStart(6, '0').toUpperCase();
const time = (chance: Chance): string =>
  [below(chance, 24), below(chance, 60)].map((part) => String(part).padStart(2, '0')).join(':');

const weighed = <A>(chance: Chance, choices: readonly [Weighted<A>, ...Weighted<A>[]]): A => {
  let left = chance() * choices.reduce((sum, [weight]) => sum + weight, 0);
  const [, chosen] = choices.find(([weight]) => (left -= weight) < 0) ?? choices[0];
  return chosen;
};

/** A movement of a die by a person. */
const moveDie = (chance: Chance): object =>
  oneOf<object>(chance, [
    { type: 'roll', die: 'd6', face: 1 + below(chance, 6), roll_ms: below(chance, 2000) },
    { type: 'roll', die: 'd20', roll_ms: 200, ending: oneOf(chance, ['stable', 'tilt', 'fake', 'move']) },
    { type: 'turn', die: 'd6', face: 1 + below(chance, 6) },
    { type: oneOf(chance, ['tap', 'double_tap']) },
    { type: 'charge', on: chance() < 0.3 },
  ]);

/** Name, path and body of a request about a session. A request without a body is a GET. */
type DiceRequest = readonly [name: string, path: string, body?: Fields];

const diceRequests = (
  session_id: string,
  chance: Chance,
): [Weighted<DiceRequest>, ...Weighted<DiceRequest>[]] => {
  const pulse = { count: 1 + below(chance, 3), on_ms: 100, off_ms: 100, color: colour(chance) };
  const taps = { single: chance() < 0.5, double: chance() < 0.5 };
  return [
    [10, ['led', '/api/led', { session_id, led1: colour(chance), led2: colour(chance) }]],
    [4, ['pulse', '/api/pulse', { session_id, ...pulse }]],
    [3, ['taps', '/api/taps', { session_id, ...taps }]],
    [8, ['battery', `/api/battery/${session_id}`]],
    [8, ['status', `/api/status/${session_id}`]],
    [3, ['sessions', '/api/sessions']],
    [1, ['calibrate', '/api/calibrate', { session_id }]],
    [1, ['scan', '/api/scan?duration_secs=0.2', {}]],
  ];
};

const clockCommand = (chance: Chance): { readonly type: CommandName } & Fields => {
  const slot = below(chance, 16);
  const repeat = { repeat_mask: below(chance, 128), enabled: true, snooze: false };
  const tone = Buffer.alloc(600 + below(chance, 1500), below(chance, 256)).toString('base64');
  return oneOf(chance, [
    { type: 'sync_time' },
    { type: 'read_alarms' },
    { type: 'set_alarm', slot, time: time(chance), ...repeat },
    { type: 'delete_alarm', slot },
    { type: 'read_settings' },
    { type: 'write_settings', settings: { volume: 1 + below(chance, 5), night_start: time(chance) } },
    { type: 'set_brightness', value: 10 * below(chance, 16) },
    { type: 'preview_ringtone' },
    { type: 'read_firmware' },
    { type: 'read_battery' },
    { type: 'upload_ringtone', offset: 0, data: tone, last: true, format: 'pcm_u8_8k' },
  ]);
};

const READINGS = ['sensors', 'battery', 'firmware', 'alarms', 'settings'];

/** Fields that have the same value in an answer as in its request. */
const SHARED = ['session_id', 'address', 'slot', 'time', 'repeat_mask', 'count', 'on_ms', 'off_ms', 'color'];

/** The requests and commands of all workers. Clients check answers by the documents (site.ts), `compare` by their requests. */
export class Operations {
  /** The open sessions, by the address of their die. */
  private readonly sessions = new Map<string, string>();
  /** All sessions of the window. */
  readonly seen = new Set<string>();
  /** The number of expected acknowledgements, by clock and command. */
  readonly acknowledged = new Map<string, number>();

  constructor(
    private readonly site: Site,
    private readonly tally: Tally,
  ) {}

  any(chance: Chance): Promise<unknown> {
    return chance() < 0.75
      ? this.anyDie(oneOf(chance, this.site.dice), chance)
      : this.anyClock(oneOf(chance, this.site.clocks), chance);
  }

  private async anyDie(address: string, chance: Chance): Promise<unknown> {
    const session = this.sessions.get(address);
    if (session === undefined) return this.connectDie(address);
    const operation = weighed<() => Promise<unknown>>(chance, [
      [30, () => this.act('move a die', address, moveDie(chance))],
      [38, () => this.askDice(weighed(chance, diceRequests(session, chance)), session)],
      [2, () => this.connectDie(address)],
      [1, () => this.disconnectDie(address)],
    ]);
    return operation();
  }

  /** Resolves with whether the die has a session. */
  async connectDie(address: string): Promise<boolean> {
    const answer = await this.askDice(['connect', '/api/connect', { address }], undefined);
    const session = answer?.['session_id'];
    if (typeof session !== 'string') return false;
    this.sessions.set(address, session);
    this.seen.add(session);
    return true;
  }

  async disconnectDie(address: string): Promise<void> {
    const session_id = this.sessions.get(address);
    this.sessions.delete(address);
    if (session_id === undefined) return;
    this.tally.requestsDisconnect(address);
    await this.askDice(['disconnect', '/api/disconnect', { session_id }], session_id);
  }

  private async askDice(
    [name, path, body]: DiceRequest,
    session: string | undefined,
  ): Promise<Fields | undefined> {
    const method = body === undefined ? 'GET' : 'POST';
    const call = { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const { answer, code } = await this.send(name, this.site.http.dice, call);
    if (code === 'session_not_found')
      for (const [address, open] of this.sessions) if (open === session) this.sessions.delete(address);
    this.compare(`${method} ${path}`, body ?? {}, answer);
    return answer;
  }

  private async anyClock(address: string, chance: Chance): Promise<unknown> {
    const client = oneOf(chance, this.site.clockClients);
    const operation = weighed<() => Promise<unknown>>(chance, [
      [5, () => this.command(client, { type: 'connect', address })],
      [2, () => this.command(client, { type: 'disconnect', address })],
      [2, () => this.command(client, { type: 'scan', duration_secs: 1 })],
      [16, () => this.measure(address, chance)],
      [15, () => this.read(address, oneOf(chance, READINGS))],
      [60, () => this.command(client, { address, ...clockCommand(chance) })],
    ]);
    return operation();
  }

  private measure(address: string, chance: Chance): Promise<unknown> {
    const reading = { temperature: below(chance, 400) / 10, humidity: below(chance, 1000) / 10 };
    return this.act('move a clock', address, { type: 'sensors', ...reading });
  }

  private async act(name: string, address: string, action: object): Promise<void> {
    const begun = performance.now();
    await this.site.control.act(address, action).catch((error: unknown) => this.tally.problem(String(error)));
    this.tally.done(name, performance.now() - begun);
  }

  private async read(address: string, reading: string): Promise<void> {
    const call = { method: 'GET', path: `/api/devices/${address}/${reading}` };
    const { answer } = await this.send(`clock: GET ${reading}`, this.site.http.clock, call);
    this.compare(`GET ${call.path}`, { address }, answer);
  }

  /** Resolves with whether the command succeeded. */
  async command(client: ClockClient, command: Command): Promise<boolean> {
    const { type, ...fields } = command;
    const address = String(fields['address']);
    if (type === 'disconnect') this.tally.requestsDisconnect(address);
    const name = `clock: ${type}`;
    const begun = performance.now();
    try {
      const response = await client.send(command);
      checkMessage(client.url, JSON.stringify(response));
      const { result, error, code } = response;
      this.finish(name, performance.now() - begun, error === null ? undefined : String(code), error);
      if (error !== null) return false;
      this.compare(`${type} of ${address}`, fields, result as Fields);
    } catch (error) {
      this.tally.problem(`${type} of ${address}: ${String(error)}`);
      return false;
    }
    if (commands[type].acknowledged) {
      const key = `${address} ${type}`;
      this.acknowledged.set(key, (this.acknowledged.get(key) ?? 0) + 1);
    }
    return true;
  }

  /** The JSON of a 200, or the code of an error. */
  private async send(
    name: string,
    client: HttpClient,
    call: Call,
  ): Promise<{ answer: Fields | undefined; code: string | undefined }> {
    const begun = performance.now();
    try {
      const { status, json, text } = await client.send({ ...call, signal: AbortSignal.timeout(LONG_MS) });
      const code = status === 200 ? undefined : String((json as Fields)['code']);
      this.finish(name, performance.now() - begun, code, text);
      return { answer: code === undefined ? (json as Fields) : undefined, code };
    } catch (error) {
      this.tally.problem(`${call.method} ${call.path} at ${new Date().toISOString()}: ${String(error)}`);
      return { answer: undefined, code: undefined };
    }
  }

  private finish(name: string, ms: number, code: string | undefined, error: unknown): void {
    this.tally.done(name, ms, code);
    if (ms > (LONG.includes(name) ? LONG_MS : LIMIT_MS))
      this.tally.problem(`${name} took ${Math.round(ms)} ms`);
    if (code === 'internal_error') this.tally.problem(`${name}: ${String(error)}`);
  }

  private compare(name: string, request: Fields, answer: Fields | undefined): void {
    if (answer === undefined) return;
    const differing = SHARED.filter(
      (field) => field in request && field in answer && request[field] !== answer[field],
    );
    if (differing.length > 0)
      this.tally.problem(`${name}: ${JSON.stringify(request)} was answered with ${JSON.stringify(answer)}`);
  }
}
