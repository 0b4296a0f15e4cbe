/** A dice server that has what its interface document states, and decides otherwise than airbench where the document is silent. */
import type { Express, Response } from 'express';
import type { WebSocket } from 'ws';

interface Die {
  readonly address: string;
  readonly name: string;
  session?: string | undefined;
  isAway?: boolean;
}

type Body = Readonly<Record<string, unknown>> | undefined;

const TYPES: readonly unknown[] = ['d6', 'd20', 'd10', 'd10x', 'd4', 'd8', 'd12', undefined];

/** Status and body of the answer to each request about a session. */
const ANSWERS: Readonly<Record<string, readonly [status: number, body?: unknown]>> = {
  led: [202, { done: true }],
  calibrate: [202, { done: true }],
  disconnect: [204],
  battery: [200, 83],
  status: [200, { battery: 83, moving: false }],
};

const answer = (response: Response, [status, body]: readonly [number, unknown?]): void => {
  response.status(status).json(body);
};

export class SeedDice {
  readonly clients = new Set<WebSocket>();
  readonly dice: readonly Die[] = [
    { address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04' },
    { address: 'D1:CE:00:00:00:02', name: 'GoDice_000002_B_v04' },
  ];
  private connects = 0;

  private send(...events: readonly object[]): void {
    for (const event of events) for (const client of this.clients) client.send(JSON.stringify(event));
  }

  private find(address: unknown): Die | undefined {
    return this.dice.find((die) => die.address === String(address).toUpperCase());
  }

  private disconnect(die: Die): void {
    if (die.session !== undefined) this.send({ kind: 'Disconnected' });
    die.session = undefined;
  }

  /** An action of a person on a die. False without this die. */
  act(address: string, action: string, face: number): boolean {
    const die = this.find(address);
    if (die === undefined) return false;
    if (action === 'roll') {
      const stable = { kind: 'Stable', face, acceleration: { x: 0, y: 0, z: -64 } };
      this.send({ kind: 'Woken', by: 'motion' }, { kind: 'RollStart' }, { kind: 'Rolling' }, stable);
    } else {
      die.isAway = action === 'away';
      if (die.isAway) this.disconnect(die);
    }
    return true;
  }

  private connect({ address, dice_type }: NonNullable<Body>): readonly [number, unknown] {
    const die = this.find(address);
    if (address === undefined || !TYPES.includes(dice_type)) return [422, { message: 'wrong request' }];
    if (die === undefined || die.isAway === true) return [410, { message: 'no such die' }];
    this.connects += 1;
    die.session = `s${this.connects}`;
    return [201, { session_id: die.session, model: 'virtual' }];
  }

  private ofSession(request: string, session: unknown): readonly [number, unknown?] {
    const die = this.dice.find((each) => each.session !== undefined && each.session === session);
    if (die === undefined) return [410, { message: 'no such session' }];
    if (request === 'disconnect') this.disconnect(die);
    return ANSWERS[request] ?? [410, { message: 'no such request' }];
  }

  routes(app: Express): void {
    app.post('/api/scan', (_request, response) => {
      const advertising = this.dice.filter(({ session, isAway }) => session === undefined && isAway !== true);
      const seen = { rssi: -48, service: 'uart' };
      response.json(
        advertising.map(({ address, name }) => ({ address: address.toLowerCase(), name, ...seen })),
      );
    });
    app.post('/api/connect', ({ body }, response) => answer(response, this.connect((body as Body) ?? {})));
    app.post('/api/:request', ({ params, body }, response) =>
      answer(response, this.ofSession(params.request, (body as Body)?.['session_id'])),
    );
    app.get('/api/:request/:session', ({ params }, response) =>
      answer(response, this.ofSession(params.request, params.session)),
    );
  }
}
