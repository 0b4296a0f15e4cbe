/** The bus of D-Bus in memory: connections of clients to one service, which receive the signals that match their rules. */
import * as E from 'fp-ts/lib/Either.js';
import type { TimeSource } from '../../src/async/time.js';
import { wait } from '../../src/async/wait.js';
import { CALL_MS, type Bus, type Call, type CallFailure, type Outcome } from '../../src/system/system-bus.js';

export interface Broadcast {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
  readonly serial: number;
}

type Answer = (outcome: Outcome) => void;

/** Takes a call of a client; `answer` may be called at any time, or never. */
export type Serve = (client: FakeConnection, call: Call, answer: Answer) => void;

export const ENDED: CallFailure = {
  name: 'org.freedesktop.DBus.Error.Disconnected',
  text: 'the bus has ended',
};

const isMatch = (rule: string, signal: Broadcast): boolean =>
  [...rule.matchAll(/(\w+)='([^']*)'/g)].every(([, key = '', value = '']) => {
    if (key === 'type') return value === 'signal';
    if (key === 'path_namespace') return signal.path === value || signal.path.startsWith(`${value}/`);
    if (key === 'arg0') return signal.body[0] === value;
    return Reflect.get(signal, key) === value;
  });

export class FakeConnection implements Bus {
  private readonly signals = new Set<(signal: Broadcast) => void>();
  private readonly ends = new Set<(reason: CallFailure) => void>();
  private packet: (() => void)[] = [];
  private ended: CallFailure | undefined;

  constructor(
    private readonly time: TimeSource,
    private readonly rules: readonly string[],
    private readonly serve: Serve,
    private readonly closed: (client: FakeConnection) => void,
  ) {}

  onSignal(listener: (signal: Broadcast) => void) {
    this.signals.add(listener);
    return () => void this.signals.delete(listener);
  }

  onEnd(listener: (reason: CallFailure) => void) {
    this.ends.add(listener);
    return () => void this.ends.delete(listener);
  }

  close(): void {
    this.end({ name: 'org.freedesktop.DBus.Error.Disconnected', text: 'the connection is closed' });
  }

  /** Ends the connection. */
  end(reason: CallFailure): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.closed(this);
    for (const listener of [...this.ends]) listener(reason);
  }

  async call(call: Call): Promise<Outcome> {
    const { ms = CALL_MS } = call;
    const outcome = await wait<Outcome>({ time: this.time, ms }, (settle) => {
      if (this.ended !== undefined) settle(E.left(this.ended));
      else this.serve(this, call, (reply) => this.send(() => settle(reply)));
      return this.onEnd((reason) => settle(E.left(reason)));
    })();
    if (E.isRight(outcome)) return outcome.right;
    return E.left({ name: 'org.freedesktop.DBus.Error.Timeout', text: `no reply within ${ms} ms` });
  }

  receive(signal: Broadcast): void {
    if (!this.rules.some((rule) => isMatch(rule, signal))) return;
    this.send(() => {
      for (const listener of [...this.signals]) listener(signal);
    });
  }

  /** All messages of one turn arrive together: what waits for a reply runs after the signals behind it. */
  private send(message: () => void): void {
    this.packet.push(message);
    if (this.packet.length > 1) return;
    setImmediate(() => {
      const { packet } = this;
      this.packet = [];
      // Messages under way arrive even after `close`.
      for (const deliver of packet) deliver();
    });
  }
}
