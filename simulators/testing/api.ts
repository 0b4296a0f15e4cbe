import { HttpClient } from './internal/http-client.js';

/** A JSON API of a world. */
export class Api {
  /** `url`: without a slash at its end, such as `http://127.0.0.1:3000`. */
  constructor(
    readonly url: string,
    private readonly http = new HttpClient(url),
  ) {}

  /**
   * Sends a request and resolves with the JSON of its answer. Rejects with an error that has the message and the code of
   * an answer other than 200.
   */
  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await this.http.send({
      ...{ method, path },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (status !== 200) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }

  get(path: string): Promise<unknown> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<unknown> {
    return this.send('POST', path, body);
  }

  /** The address of a WebSocket, such as `/ws` of a server. */
  socket(path: string): string {
    return `${this.url.replace(/^http/, 'ws')}${path}`;
  }
}

/** A device as the control API lists it: these fields, and those of its kind. */
export interface SimulatedDevice {
  readonly address: string;
  readonly kind: string;
  readonly name: string;
  readonly connected: boolean;
  readonly advertising: boolean;
  readonly [field: string]: unknown;
}

/** The control API of a world (docs/control-api.md): the devices, the air between them and the adapters, and faults. */
export class Control extends Api {
  async devices(): Promise<readonly SimulatedDevice[]> {
    return (await this.get('/devices')) as readonly SimulatedDevice[];
  }

  /** The whole state of a device. */
  async device(address: string): Promise<SimulatedDevice> {
    return (await this.get(`/devices/${address}`)) as SimulatedDevice;
  }

  /** Adds a device, such as `{"kind": "pixels", "die": "d20"}`. */
  async add(device: object): Promise<SimulatedDevice> {
    return (await this.post('/devices', device)) as SimulatedDevice;
  }

  /** Acts on a device, such as `{"type": "roll", "face": 5}`. */
  async act(address: string, action: object): Promise<SimulatedDevice> {
    return (await this.post(`/devices/${address}/actions`, action)) as SimulatedDevice;
  }

  /** Moves a device: sets its signal strength (`rssi`, dBm), and whether hosts receive it at all (`in_range`). */
  async place(
    address: string,
    place: { readonly rssi?: number; readonly in_range?: boolean },
  ): Promise<void> {
    await this.send('PUT', `/air/${address}`, place);
  }

  /** Puts a fault into the air, such as `{"type": "link_loss", "device": "all", "after_ms": 500}`; resolves with its id. */
  async fault(fault: object): Promise<string> {
    return ((await this.post('/faults', fault)) as { readonly id: string }).id;
  }

  /** Returns the world to its state at the start: devices, places, faults. */
  async reset(): Promise<void> {
    await this.post('/reset');
  }
}
