/** A clock server that has what its interface document states, and decides otherwise than airbench where the document is silent. */
import { setTimeout } from 'node:timers/promises';
import type { Express } from 'express';
import type { WebSocket } from 'ws';

interface Command {
  readonly type: string;
  readonly address?: string;
  readonly duration_secs?: number;
  readonly slot?: number;
  readonly value?: number;
}

/** A failure of a command, with its status over REST. */
class Failure extends Error {
  constructor(
    readonly status: 404 | 500,
    message: string,
  ) {
    super(message);
  }
}

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

const RESULTS: Readonly<Record<string, unknown>> = {
  ...{ read_battery: 71, read_firmware: '2.4.0', read_alarms: [], read_settings: { language: 'en' } },
  ...{ sync_time: 'synchronized', preview_ringtone: 'playing', delete_alarm: 'deleted' },
  ...{ set_brightness: 'set', subscribe_events: 'subscribed', disconnect: 'disconnected' },
};

const requireRange = (name: string, value: unknown, min: number, max: number, step = 1): void => {
  const isInRange = typeof value === 'number' && value >= min && value <= max && value % step === 0;
  if (!isInRange) throw new Failure(500, `${name} is out of range`);
};

export class SeedClock {
  readonly address = '58:2D:34:00:00:01';
  private reading = { temperature: 20, humidity: 40.5 };
  private link: 'none' | 'up' | 'lost' = 'none';
  private readonly subscribers = new Set<WebSocket>();

  private push(event: string, data: object): void {
    for (const client of this.subscribers) client.send(JSON.stringify({ event, data, source: 'clock' }));
  }

  /** What a person does with the clock. False if it is another device. */
  act(address: string, action: string, temperature: number): boolean {
    if (address !== this.address) return false;
    if (action === 'away' && this.link === 'up') {
      this.link = 'lost';
      this.push('disconnected', {});
    } else if (action === 'back' && this.link === 'lost') {
      this.link = 'up';
      this.push('reconnected', {});
    } else if (action === 'sensors') {
      this.reading = { ...this.reading, temperature };
      this.push('sensor_update', { ...this.reading, unit: 'C' });
    }
    return true;
  }

  private ask(command: Command, client?: WebSocket): unknown {
    const { type, address = '' } = command;
    if (!MAC.test(address)) throw new Failure(500, `${address} is no address`);
    if (address.toUpperCase() !== this.address || this.link === 'none')
      throw new Failure(404, `${address}: not connected`);
    if (this.link === 'lost') throw new Failure(500, `${address}: the link is lost`);
    requireRange('slot', command.slot ?? 0, 0, 15);
    requireRange('value', command.value ?? 0, 0, 150, 10);
    if (type === 'disconnect') this.link = 'none';
    if (type === 'set_brightness') this.push('ack', { command: 4, status: { ok: true } });
    if (type === 'subscribe_events' && client !== undefined) this.subscribers.add(client);
    return type === 'sensors' ? { ...this.reading, measured_by: this.address } : RESULTS[type];
  }

  private async run(command: Command, client: WebSocket): Promise<unknown> {
    if (command.type === 'scan') {
      requireRange('duration_secs', command.duration_secs, 1, 600);
      await setTimeout((command.duration_secs ?? 0) * 1000);
      return [this.address.toLowerCase()];
    }
    if (command.type !== 'connect') return this.ask(command, client);
    if (command.address?.toUpperCase() !== this.address) throw new Failure(500, 'no such clock');
    this.link = 'up';
    return 'connected';
  }

  async answer(text: string, client: WebSocket): Promise<void> {
    const { id, command } = JSON.parse(text) as { readonly id: number; readonly command: Command };
    const response = await this.run(command, client).then(
      (result) => ({ id, result, error: null }),
      (error: Error) => ({ id, result: null, error: error.message }),
    );
    client.send(JSON.stringify({ ...response, type: command.type }));
  }

  routes(app: Express): void {
    app.get('/health', (_request, response) => {
      response.type('text').send('up');
    });
    app.get('/api/devices', (_request, response) => {
      response.json({ connected: this.link === 'up' ? [this.address.toLowerCase()] : [] });
    });
    app.get('/api/devices/:address/:what', ({ params: { address, what } }, response) => {
      try {
        response.json(this.ask({ type: what === 'sensors' ? what : `read_${what}`, address }));
      } catch (thrown) {
        const { status, message } = thrown as Failure;
        response.status(status).json({ message });
      }
    });
  }
}
