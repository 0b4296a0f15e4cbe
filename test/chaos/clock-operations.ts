import * as E from 'fp-ts/lib/Either.js';
import { commands, endpoints, type CommandName } from '../../src/clock/contract.js';
import { ask, control, limitOf, within, type Rig } from './rig.js';
import { failureIn, wrongError } from './contract.js';
import type { Tally } from './tally.js';
import type { ClockClient } from '../../src/testing/internal/clock-client.js';

type Rng = () => number;

const below = (chance: Rng, limit: number): number => Math.floor(chance() * limit);
const oneOf = <A>(chance: Rng, values: readonly A[]): A => values[below(chance, values.length)] as A;

const time = (chance: Rng): string =>
  [below(chance, 24), below(chance, 60)].map((part) => String(part).padStart(2, '0')).join(':');

/** A command by chance, without its address. */
const commandBy = (chance: Rng): { readonly type: CommandName } & Readonly<Record<string, unknown>> => {
  const slot = below(chance, 16);
  return oneOf(chance, [
    { type: 'sync_time' },
    { type: 'read_alarms' },
    {
      type: 'set_alarm',
      slot,
      time: time(chance),
      repeat_mask: below(chance, 128),
      enabled: true,
      snooze: false,
    },
    { type: 'delete_alarm', slot },
    { type: 'read_settings' },
    { type: 'write_settings', settings: { volume: 1 + below(chance, 5), night_start: time(chance) } },
    { type: 'set_brightness', value: 10 * below(chance, 16) },
    { type: 'preview_ringtone' },
    { type: 'read_firmware' },
    { type: 'read_battery' },
    {
      type: 'upload_ringtone',
      offset: 0,
      data: Buffer.alloc(600 + below(chance, 1500), below(chance, 256)).toString('base64'),
      last: true,
      format: 'pcm_u8_8k',
    },
  ]);
};

/** The fields of the command in its answer. */
const ECHOED = ['slot', 'time', 'repeat_mask'] as const;

const READS = ['sensors', 'battery', 'firmware', 'alarms', 'settings'] as const;

/** Random actions of people with clocks, and checks of the answers. */
export class ClockOperations {
  /** Acknowledgements that were due, by clock and command. */
  readonly acknowledged = new Map<string, number>();

  constructor(
    private readonly rig: Rig,
    private readonly tally: Tally,
  ) {}

  async any(chance: Rng): Promise<void> {
    const address = oneOf(chance, this.rig.clocks);
    const client = oneOf(chance, this.rig.clockClients);
    const what = chance();
    if (what < 0.05) await this.command(client, { type: 'connect', address });
    else if (what < 0.07) await this.command(client, { type: 'disconnect', address });
    else if (what < 0.09) await this.command(client, { type: 'scan', duration_secs: 1 });
    else if (what < 0.25) await this.measure(address, chance);
    else if (what < 0.4) await this.read(address, chance);
    else await this.command(client, { address, ...commandBy(chance) });
  }

  /** True if it succeeded. */
  async command(
    client: ClockClient,
    command: { readonly type: CommandName } & Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const { type } = command;
    const name = type === 'connect' || type === 'upload_ringtone' ? type : `clock: ${type}`;
    if (type === 'disconnect') this.tally.requestsDisconnect(String(command['address']));
    const begun = performance.now();
    const response = await within(limitOf(name), client.send(command));
    const ms = performance.now() - begun;
    const about = `${type} of ${String(command['address'])} at ${new Date().toISOString()}`;
    if (response === undefined) {
      this.tally.problem(`${about} was not answered within ${limitOf(name)} ms`);
      return false;
    }
    const { result, error, code } = response;
    this.tally.done(`clock: ${type}`, ms, error === null ? undefined : String(code));
    if (error !== null) {
      const wrong = wrongError('clock', undefined, code, error);
      if (wrong !== undefined || result !== null)
        this.tally.problem(`${about}: ${wrong ?? 'a result beside an error'}`);
      return false;
    }
    const fields = result as Readonly<Record<string, unknown>>;
    const unlike = ECHOED.some(
      (field) => field in command && field in fields && fields[field] !== command[field],
    );
    if (E.isLeft(commands[type].response.decode(result)) || unlike) {
      this.tally.problem(`${about} answered ${JSON.stringify(result)}`);
    }
    if (commands[type].acknowledged) {
      const key = `${String(command['address'])} ${type}`;
      this.acknowledged.set(key, (this.acknowledged.get(key) ?? 0) + 1);
    }
    return true;
  }

  private async measure(address: string, chance: Rng): Promise<void> {
    const reading = { temperature: below(chance, 400) / 10, humidity: below(chance, 1000) / 10 };
    await control(this.rig, this.tally, `/devices/${address}/actions`, 'POST', {
      type: 'sensors',
      ...reading,
    });
    this.tally.done('move a clock', 0);
  }

  private async read(address: string, chance: Rng): Promise<void> {
    const what = oneOf(chance, READS);
    const path = `/api/devices/${address}/${what}`;
    const begun = performance.now();
    const answer = await ask(this.rig.urls.clock, path);
    const ms = performance.now() - begun;
    if (answer === undefined) {
      this.tally.problem(`GET ${path} was not answered within ${limitOf(what)} ms`);
      return;
    }
    const { error, code } = failureIn(answer.body);
    this.tally.done(`clock: GET ${what}`, ms, answer.status === 200 ? undefined : code);
    if (answer.status === 200) {
      if (E.isLeft(endpoints[what].response.decode(answer.body)))
        this.tally.problem(`GET ${path}: ${JSON.stringify(answer.body)}`);
      return;
    }
    const wrong = wrongError('clock', answer.status, code, error);
    if (wrong !== undefined) this.tally.problem(`GET ${path}: ${wrong}`);
  }
}
