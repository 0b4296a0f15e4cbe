/** What a report needs beside the steps: who took part, and everything about a scenario that failed. */
import { systemReason } from '../../src/system.js';
import { DEVICE_FACTS, RUN_FACTS } from '../report/facts.js';
import { capturedSince } from './btsnoop.js';
import {
  ANSWER_PATIENCE,
  answersAt,
  deviceFacts,
  deviceModels,
  devicesToldOf,
  jsonAt,
  runFacts,
  type Place,
} from './facts.js';
import type { BenchWorld } from './world.js';

/** How long a server may take to log the last request, milliseconds. */
const LOG_PATIENCE = 2000;

export class Evidence {
  private startedAt = 0;
  private introduced = false;
  private scenarios = 0;
  private readonly met = new Set<string>();

  constructor(
    private readonly profile: string,
    private readonly place: Place,
  ) {}

  /** A scenario begins; the first one of a worker says what the run is. */
  async begin(world: BenchWorld): Promise<void> {
    this.scenarios += 1;
    this.place.log?.begin();
    this.startedAt = Date.now();
    if (this.introduced) return;
    this.introduced = true;
    attachJson(world, RUN_FACTS, await runFacts(this.profile, this.place));
  }

  /** A scenario ends, its devices still as its last step left them; `failed`: all that may explain why is attached. */
  async end(world: BenchWorld, failed: boolean): Promise<void> {
    const models = await deviceModels(this.place);
    const { controlUrl } = this.place;
    const devices =
      controlUrl === undefined ? await devicesToldOf(this.place, world) : models.map(deviceFacts);
    for (const device of devices) {
      // Virtual ones come and go by the hundred, all alike.
      const known = `${controlUrl === undefined ? device.address : device.kind} ${device.firmware ?? ''}`;
      if (this.met.has(known)) continue;
      this.met.add(known);
      attachJson(world, DEVICE_FACTS, device);
    }
    if (!failed) return;
    attachJson(world, 'models.json', {
      devices: models,
      faults: await jsonAt(controlUrl, '/faults'),
      air: await jsonAt(controlUrl, '/air'),
    });
    this.attachTranscripts(world);
    await this.attachLogs(world);
    await this.attachTrace(world);
  }

  private attachTranscripts(world: BenchWorld): void {
    attachText(world, 'server.txt', world.server.transcript.join('\n'));
    if (this.place.controlUrl !== undefined) {
      attachText(world, 'control.txt', world.control.transcript.join('\n'));
    }
    for (const { messages } of world.streams) attachText(world, 'stream.txt', messages.join('\n'));
    for (const { transcript } of world.clients) {
      attachText(world, 'clock-socket.txt', transcript.join('\n'));
    }
  }

  private async attachLogs(world: BenchWorld): Promise<void> {
    const { log, diceUrl, clockUrl, controlUrl } = this.place;
    const servers = { 'dice server': diceUrl, 'clock server': clockUrl, 'control API': controlUrl };
    for (const [name, url] of Object.entries(servers)) {
      if (url === undefined) continue;
      const file = `${name.toLowerCase().replace(' ', '-')}.log`;
      // Nobody serves this path; once it is in the log, so is all that came before.
      const last = `/end-of-scenario-${this.scenarios}`;
      if (await answersAt(url, last)) await log?.has(name, last, LOG_PATIENCE);
      const kept = log?.of(name) ?? '';
      attachText(
        world,
        file,
        kept === ''
          ? `The features do not keep the log of this ${name}: it is where that was started.`
          : kept,
      );
    }
    const unlogged = log?.of(undefined) ?? '';
    if (unlogged !== '') attachText(world, 'rig.log', unlogged);
  }

  private async attachTrace(world: BenchWorld): Promise<void> {
    const { controlUrl } = this.place;
    try {
      if (controlUrl === undefined) throw new Error('nobody here can listen to the air');
      const response = await fetch(`${controlUrl}/trace`, { signal: AbortSignal.timeout(ANSWER_PATIENCE) });
      if (!response.ok) throw new Error(await response.text());
      const trace = capturedSince(Buffer.from(await response.arrayBuffer()), this.startedAt);
      world.attach(trace, { mediaType: 'application/octet-stream', fileName: 'air.btsnoop' });
    } catch (error) {
      attachText(world, 'air.txt', `There is no HCI capture: ${systemReason(error)}`);
    }
  }
}

const attachText = (world: BenchWorld, fileName: string, text: string): void =>
  world.attach(text, { mediaType: 'text/plain', fileName });

const attachJson = (world: BenchWorld, fileName: string, value: unknown): void =>
  world.attach(JSON.stringify(value, null, 2), { mediaType: 'application/json', fileName });
