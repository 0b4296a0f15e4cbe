import { setTimeout } from 'node:timers/promises';
import { World, setWorldConstructor, type IWorldOptions } from '@cucumber/cucumber';
import { KINDS, perKind, type Kind } from '../../src/contract/kinds.js';
import type { Roll } from '../../src/dice/contract.js';
import { keepAlarms } from './alarms.js';
import { Control } from '../../simulators/testing/index.js';
import { ClockClient, type Response } from '../../simulators/testing/internal/clock-client.js';
import type { Answer, Call, HttpClient } from '../../simulators/testing/internal/http-client.js';
import {
  Listener,
  type JsonObject,
  type ListenerOptions,
} from '../../simulators/testing/internal/listener.js';
import type { Action, Device } from '../actors/actions.js';
import type { Actor, Hands } from '../actors/actor.js';
import type { Bench } from '../bench/bench.js';
import type { Clock, Die } from './scenario-devices.js';
import { NOTE } from '../report/facts.js';
import { httpClient, refusedAt, socketOptions } from '../clients/clients.js';
import type { TestBroker } from './broker.js';
import type { Maker } from '../actors/makers.js';
import { Skip } from '../actors/skip.js';
import { StepLimit } from '../actors/step-limit.js';
import { joinedSight, sightOf, type Occasion } from '../actors/watch.js';
import { cut, type Exchange } from '../expect/exchange.js';
import { differences, Failure, fits, Mismatch, shown } from '../expect/expect.js';
import { NEEDS } from './needs.js';
import type { OwnServer } from '../bench/programs.js';
import type { Parameters } from './parameters.js';
import { requireStatedCommand, requireStatedPath } from './seed.js';

/** The bench of a dry run, which runs no hooks. */
const NO_BENCH: Bench = {
  ...{ station: undefined, operator: undefined, urls: perKind(() => undefined), controlUrl: undefined },
  ...{ virtualAir: false, dice: [], clocks: [], destructive: false, patience: undefined },
  ...{ problems: [], lacking: [] },
  programs: perKind(() => undefined),
  hands: () => ({ actors: {}, readModel: undefined }),
  close: () => Promise.resolve(),
};

/** The bench of all scenarios of this worker, set before the first scenario. */
let shared = NO_BENCH;

export const shareBench = (opened: Bench): void => {
  shared = opened;
};

export class Scenario extends World<Parameters> {
  readonly bench: Bench;
  /** How long a message may take, milliseconds. */
  patience: number;
  readonly limit = new StepLimit();
  /** The maker of the scenario's dice. */
  readonly maker: Maker;
  /** Whether the servers claim no more than the interface documents state. */
  readonly claimsSeed: boolean;
  /** Whether the steps may use no more than the interface documents state. */
  usesSeed = false;
  /** The tags of the scenario and its feature. */
  tags: readonly string[] = [];
  readonly dice: Die[] = [];
  readonly clocks: Clock[] = [];
  /** The sessions that connects of the scenario have answered. */
  readonly sessions = new Set<string>();
  /** The tasks for the end of the scenario, newest first. */
  readonly afterwards: (() => Promise<unknown>)[] = [];
  /** The server that the scenario has started in the place of the bench's server. */
  own: OwnServer | undefined;
  /** Servers beside it. */
  readonly others: OwnServer[] = [];
  /** The broker of the scenario's own server. */
  broker: TestBroker | undefined;
  /** Clients of the clock server's WebSocket; the first is "I". */
  readonly clients: ClockClient[] = [];
  /** The response to my last command. */
  response: Response | undefined;
  /** The last received event. */
  event: JsonObject = {};
  /** Values that a step keeps for a later one. */
  readonly remembered = new Map<string, unknown>();
  streams: Listener[] = [];
  /** Responses to the last call, or to concurrent calls. */
  answers: readonly Answer[] = [];
  /** The last message of each stream. `previous` is the message before, on the first stream. */
  messages: readonly JsonObject[] = [];
  previous: JsonObject | undefined;
  /** Faces rolled in this scenario, in order. */
  rolled: number[] = [];
  /** The rolls of the scenario that the server has listed, the newest first. */
  listed: readonly Roll[] = [];
  readonly faultIds: string[] = [];
  lastColour: string | undefined;
  /** The output of a program. */
  printed = '';
  /** The messages of all clients, by the names of the attachments in a report. */
  readonly transcripts: (readonly [file: string, lines: string[]])[] = [];
  /** The exchange that the scenario had last, or whose answer or message it read last. A failed step names it. */
  subject: Exchange | undefined;
  private readonly exchanges = new WeakMap<object, Exchange>();
  readonly hands: Hands;
  private readonly controlApi: Control | undefined;
  private readonly serverTranscript = this.newTranscript('server.txt');

  constructor(options: IWorldOptions<Parameters>) {
    super(options);
    this.bench = shared;
    this.patience = shared.patience ?? options.parameters.patience;
    this.maker = options.parameters.maker;
    this.claimsSeed = options.parameters.profile === 'seed';
    const { controlUrl } = shared;
    if (controlUrl !== undefined)
      this.controlApi = new Control(
        controlUrl,
        httpClient(controlUrl, this.newTranscript('control.txt'), {
          exchanged: this.exchanged('control API: '),
        }),
      );
    this.hands = shared.hands(this.controlApi);
  }

  /** The kind of the scenario's devices. */
  get kind(): Kind {
    return KINDS.find((kind) => this.tags.includes(`@${kind}`)) ?? 'dice';
  }

  /** The server under test. */
  get server(): HttpClient {
    const url = this.own?.url ?? this.bench.urls[this.kind];
    if (url === undefined) throw new Skip(`needs a ${this.kind} server: the bench has none`);
    return httpClient(url, this.serverTranscript, {
      requested: ({ path, body }) => {
        if (this.usesSeed) requireStatedPath(this.kind, path, body);
      },
      exchanged: this.exchanged(),
    });
  }

  /** Makes an exchange the subject; `who` begins its text. */
  private exchanged(who = ''): (exchange: Exchange, answer?: object) => void {
    return ({ asked, ...exchange }, answer) => {
      this.subject = { ...exchange, asked: who + asked };
      if (answer !== undefined) this.exchanges.set(answer, this.subject);
    };
  }

  /** Makes the exchange of an answer, a response or a message the subject. */
  about<A extends object>(answer: A): A {
    this.subject = this.exchanges.get(answer) ?? this.subject;
    return answer;
  }

  /** The answer to an upgrade that the server must refuse. */
  async refused(path: string): Promise<Answer> {
    return refusedAt(this.server.url, path, this.exchanged());
  }

  private newTranscript(file: string): string[] {
    const lines: string[] = [];
    this.transcripts.push([file, lines]);
    return lines;
  }

  get control(): Control {
    if (this.controlApi === undefined) throw new Skip('needs a control API (simulation only)');
    return this.controlApi;
  }

  /** Throws a `Skip` if the bench does not meet one of the scenario's needs. */
  requireNeeds(): void {
    const lacking = NEEDS.find(
      ({ tag, isMet }) => this.tags.includes(tag) && !isMet(this.bench, this.hands, this.kind),
    );
    if (lacking !== undefined) throw new Skip(lacking.reason);
  }

  /** Tags declare the needs of a scenario, so that a skip comes before a person has acted. */
  private requireTag(tag: string, use: string): void {
    if ([tag, '@simulated', '@fault'].some((sufficient) => this.tags.includes(sufficient))) return;
    throw new Error(`a scenario that ${use} must be tagged ${tag}`);
  }

  /** Acts on a device, by the actor of this bench. `progress`: of a person in several actions. */
  async perform(device: Device, action: Action, progress?: string): Promise<Actor> {
    this.requireTag('@operator', 'acts on a device');
    const actor = this.hands.actors[action.type];
    if (actor === undefined)
      throw new Skip(
        `needs an operator at a terminal, or a command in the bench file, for the action "${action.type}"`,
      );
    await this.limit.except(() => actor.act(device, action, this.occasion(device, action, progress)));
    return actor;
  }

  /** The events and notes of a person who acts. */
  occasion(device: Device, action: Action, progress?: string): Occasion {
    const clients = device.kind === 'clock' ? this.clients : this.streams;
    const before = new Map(clients.map((client) => [client, client.texts.length]));
    const since = (client: Listener): readonly JsonObject[] => client.unread.slice(before.get(client));
    return {
      sight: () =>
        joinedSight(
          clients.map((client) => sightOf(device, action, since(client))),
          progress,
        ),
      again: () => {
        for (const client of clients) client.texts.splice(before.get(client) ?? 0);
      },
      note: (text) =>
        this.attach(JSON.stringify({ text }), { mediaType: 'application/json', fileName: NOTE }),
    };
  }

  /** The broker of the scenario's server. */
  get mqtt(): TestBroker {
    if (this.broker === undefined) throw new Error('the scenario has no broker');
    return this.broker;
  }

  /** The nth clock of the scenario, counted from 1. */
  clock(number = 1): Clock {
    const clock = this.clocks[number - 1];
    if (clock === undefined) throw new Error(`the scenario has no clock ${number}`);
    return clock;
  }

  /** The nth client of the clock server's WebSocket, counted from 1; opened when it is first used. */
  async client(number = 1): Promise<ClockClient> {
    while (this.clients.length < number) {
      this.clients.push(await ClockClient.open(...this.socketAt('/ws', 'clock-socket.txt')));
    }
    const client = this.clients[number - 1];
    if (client === undefined) throw new Error(`the scenario has no client ${number}`);
    return client;
  }

  /** Sends my command and keeps its response. */
  async command(command: unknown): Promise<Response> {
    // With a control API the next scenario begins with a reset.
    if (this.bench.controlUrl === undefined) await keepAlarms(this, command);
    return this.respond((client) => client.send(command));
  }

  /** Keeps the response to my message. */
  async respond(say: (client: ClockClient) => Promise<Response>): Promise<Response> {
    this.response = await say(await this.client());
    if (this.subject !== undefined) this.exchanges.set(this.response, this.subject);
    return this.response;
  }

  /** The nth die of the scenario, counted from 1. */
  die(number = 1): Die {
    const die = this.dice[number - 1];
    if (die === undefined) throw new Error(`the scenario has no die ${number}`);
    return die;
  }

  get answer(): Answer {
    const [answer] = this.answers;
    if (answer === undefined) throw new Error('the scenario has sent no request yet');
    return this.about(answer);
  }

  /** The answer's JSON as an object. */
  get record(): Readonly<Record<string, unknown>> {
    const { json, text } = this.answer;
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new Error(`the answer is not a JSON object: ${text}`);
    }
    return json as Readonly<Record<string, unknown>>;
  }

  /**
   * Replaces `<session>`, `<session 2>`, `<address>`, `<name>`, `<clock>` and `<rolled>`, the time of a listed roll, by the values of
   * this scenario.
   */
  filled(text: string): string {
    const values: Readonly<Record<string, (number: number) => string>> = {
      session: (number) => this.die(number).session ?? '',
      address: (number) => this.die(number).address,
      name: (number) => this.die(number).name,
      clock: (number) => this.clock(number).address,
      rolled: (number) => this.listed.at(-number)?.time ?? '',
    };
    const valueOf = (whole: string, name: string, number = '1'): string =>
      values[name]?.(Number(number)) ?? whole;
    return text
      .replace(/<(address|clock) in lower case>/g, (whole, name: string) =>
        valueOf(whole, name).toLowerCase(),
      )
      .replace(/<(\w+)(?: (\d+))?>/g, valueOf);
  }

  async call(call: Call & { readonly body?: string }, times = 1): Promise<void> {
    const filled = {
      ...call,
      path: this.filled(call.path),
      ...(call.body === undefined ? {} : { body: this.filled(call.body) }),
    };
    this.answers = await Promise.all(Array.from({ length: times }, () => this.server.send(filled)));
    for (const { json } of call.path === '/api/connect' ? this.answers : []) {
      const { session_id } = (json ?? {}) as { readonly session_id?: string };
      if (session_id !== undefined) this.sessions.add(session_id);
    }
  }

  /** Connects a die and remembers its session. */
  async connect(die: Die, body: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const connect = JSON.stringify({ address: die.address, ...body });
    await this.call({ method: 'POST', path: '/api/connect', body: connect });
    if (this.answer.ok) die.session = String(this.record['session_id']);
  }

  /** The address of the WebSocket at `path`, and the options of a client whose transcript is `file`. */
  socketAt(path: string, file: string): readonly [url: string, options: ListenerOptions] {
    const url = this.server.url + this.filled(path);
    const name = `${this.kind} WebSocket ${path}: `;
    const options = socketOptions(url, this.patience, this.newTranscript(file), this.exchanged(name));
    if (this.usesSeed) requireStatedPath(this.kind, path);
    const exchanged: ListenerOptions['exchanged'] = (sender, text) => {
      if (this.usesSeed && sender === 'client') requireStatedCommand(text);
      options.exchanged?.(sender, text);
    };
    return [url, { ...options, exchanged }];
  }

  /** Opens a stream of the events of virtual devices. */
  async openDeviceStream(): Promise<void> {
    const url = this.control.socket('/events');
    this.streams.push(
      await Listener.open(url, socketOptions(url, this.patience, this.newTranscript('devices.txt'))),
    );
  }

  async openStream(path: string): Promise<void> {
    this.streams.push(await Listener.open(...this.socketAt(path, 'stream.txt')));
  }

  /** Takes the next message that fits, and drops earlier messages. `expected`: the message, in the text if none comes. */
  async receive(
    client: Listener,
    expected: unknown,
    isNext = (message: JsonObject) => fits(message, expected),
  ): Promise<JsonObject> {
    const { pathname, search } = new URL(client.url);
    const asked = `${this.kind} WebSocket ${pathname}${search}`;
    try {
      const message = await client.next(isNext);
      this.exchanges.set(message, { asked, came: `sent ${cut(JSON.stringify(message))}` });
      return this.about(message);
    } catch (error) {
      const came = client.texts.slice(-5).map((text) => `sent ${cut(text)}`);
      const closed = client.socket.readyState === client.socket.CLOSED ? ' before the server closed it' : '';
      throw new Failure(
        [
          asked,
          `expected ${shown(expected)}, got none${closed} within ${this.patience / 1000} s`,
          ...(came.length === 0 ? ['sent no event'] : came),
        ].join('\n'),
        { cause: error },
      );
    }
  }

  /** Reads the next message of every stream into `messages`, and returns the message of the first stream. */
  async nextMessage(expected: unknown, isNext?: (message: JsonObject) => boolean): Promise<JsonObject> {
    this.previous = this.messages[0];
    this.messages = await Promise.all(this.streams.map((stream) => this.receive(stream, expected, isNext)));
    const [first] = this.messages;
    if (first === undefined) throw new Error('the scenario has no client of the event stream');
    return first;
  }

  /** A device's model. */
  async model(device: Device): Promise<JsonObject> {
    this.requireTag('@model', "reads a device's model");
    const model = await this.modelIfKnown(device);
    if (model === undefined) throw new Skip("needs to read a device's model");
    return model;
  }

  /** A device's model, for a step that can do without it. Undefined on a bench that cannot read models. */
  async modelIfKnown({ address }: Device): Promise<JsonObject | undefined> {
    return this.hands.readModel?.(address);
  }

  /** Reads a value again and again until it is as expected, within `patience`: no event reports it. */
  async eventually(field: string, expected: unknown, read: () => Promise<unknown>): Promise<void> {
    const deadline = AbortSignal.timeout(this.patience);
    for (;;) {
      const lines = differences(field, await read(), expected);
      if (lines.length === 0) return;
      if (deadline.aborted)
        throw new Mismatch([...lines, `still so after ${this.patience / 1000} s`].join('\n'));
      await setTimeout(20);
    }
  }
}

setWorldConstructor(Scenario);
