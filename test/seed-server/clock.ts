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
  read_battery: 71,
  read_firmware: '2.4.0',
  read_alarms: [],
  read_settings: { language: 'en' },
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

  /** An action of a person on the clock. False if it is another device. */
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

  private ask({ type, address = '', slot = 0, value = 0 }: Command, client?: WebSocket): unknown {
    if (!MAC.test(address)) throw new Failure(500, `${address} is no address`);
    const isHere = address.toUpperCase() === this.address;
    if (type === 'connect' && isHere) this.link = 'up';
    if (!isHere || this.link === 'none') throw new Failure(404, `${address}: not connected`);
    if (this.link === 'lost') throw new Failure(500, `${address}: the link is lost`);
    requireRange('slot', slot, 0, 15);
    requireRange('value', value, 0, 150, 10);
    if (type === 'disconnect') this.link = 'none';
    if (type === 'set_brightness') this.push('ack', { command: 4, status: { ok: true } });
    if (type === 'subscribe_events' && client !== undefined) this.subscribers.add(client);
    return type === 'sensors' ? { ...this.reading, measured_by: this.address } : (RESULTS[type] ?? 'done');
  }

  private async scan(secs: unknown): Promise<readonly string[]> {
    requireRange('duration_secs', secs, 1, 600);
    await setTimeout(Number(secs) * 1000);
    return [this.address.toLowerCase()];
  }

  async answer(text: string, client: WebSocket): Promise<void> {
    const { id, command } = JSON.parse(text) as { readonly id: number; readonly command: Command };
    const respond = (outcome: object): void => client.send(JSON.stringify({ id, ...outcome, took: 1 }));
    try {
      const isScan = command.type === 'scan';
      const result = isScan ? await this.scan(command.duration_secs) : this.ask(command, client);
      respond({ result, error: null });
    } catch (thrown) {
      respond({ result: null, error: (thrown as Failure).message });
    }
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
