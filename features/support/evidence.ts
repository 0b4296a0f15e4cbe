/** The evidence in a report beside the steps: devices and servers, and for a failed scenario their logs and state. */
import { perKind } from '../../src/contract/kinds.js';
import { systemReason } from '../../src/system/system-error.js';
import { DEVICE_FACTS, FINDING, RUN_FACTS, type DeviceFacts, type Finding } from '../report/facts.js';
import { ENDED, Skip } from '../actors/skip.js';
import { questioner } from '../clients/clients.js';
import { capturedSince } from './btsnoop.js';
import {
  answersAt,
  deviceFacts,
  deviceModels,
  devicesOfScenario,
  jsonAt,
  runFacts,
  type Places,
} from './facts.js';
import type { Parameters } from './parameters.js';
import { placesOf, Servers } from './servers.js';
import type { Start } from './start-check.js';
import type { Scenario } from './scenario.js';

/** How long a server may take to log the last request, milliseconds. */
const LOG_PATIENCE = 2000;

/** How long the control API may take to send the capture, milliseconds. */
const TRACE_LIMIT = 10_000;

export class Evidence {
  private startedAt = 0;
  private scenarios = 0;
  /** Whether the servers of the scenario answered at its beginning. */
  private hasServers = false;
  private endReported = false;
  /** The facts of the run. Undefined as soon as a scenario has attached them. */
  private start: Start | undefined;
  private readonly servers: Servers;
  private readonly reported = new Map<string, DeviceFacts>();

  constructor(
    private readonly parameters: Parameters,
    private readonly places: Places,
    start: Start,
  ) {
    this.start = start;
    this.servers = new Servers(start.servers);
  }

  /** Begins a scenario; the first of a worker attaches the facts of the run. Throws if its server does not answer any more. */
  async begin(scenario: Scenario): Promise<void> {
    this.scenarios += 1;
    this.places.log?.begin();
    this.startedAt = Date.now();
    const { start } = this;
    if (start !== undefined) {
      this.start = undefined;
      attachJson(scenario, RUN_FACTS, await runFacts(this.parameters, this.places, start.servers));
      for (const device of start.devices) this.attachDevice(scenario, device.address, device);
      for (const finding of start.findings) attachJson(scenario, FINDING, { text: finding });
    }
    this.hasServers = false;
    try {
      await this.servers.require(scenario.kind);
      this.hasServers = true;
    } catch (error) {
      if (error instanceof Skip && !this.endReported) {
        this.endReported = true;
        report(scenario, { text: error.reason.replace(ENDED, 'the run ended before its last scenario: ') });
      }
      throw error;
    }
  }

  /** The error of a step, or the reason behind it: a server that does not answer any more. */
  explain(scenario: Scenario, error: unknown): Promise<unknown> {
    return this.servers.explain(scenario, error);
  }

  /** Whether the server of the scenario's devices still answers. */
  isAnswered({ kind }: Scenario): boolean {
    const url = this.places.urls[kind];
    return url === undefined || this.servers.answers(url);
  }

  private attachDevice(scenario: Scenario, sort: string, device: DeviceFacts): void {
    const before = this.reported.get(sort);
    const facts = before === undefined ? device : latest(before, device);
    if (JSON.stringify(before) === JSON.stringify(facts)) return;
    this.reported.set(sort, facts);
    attachJson(scenario, DEVICE_FACTS, facts);
  }

  /** Ends a scenario, before a hook changes its devices. Of a failed scenario, attaches logs, transcripts and state. */
  async end(scenario: Scenario, failed: boolean): Promise<void> {
    if (!this.hasServers) return;
    const places = this.answering;
    const models = await deviceModels(places);
    const isVirtual = this.places.controlUrl !== undefined;
    const devices = isVirtual ? models.map(deviceFacts) : await devicesOfScenario(places, scenario);
    for (const device of devices) {
      // Scenarios use hundreds of virtual devices, which are alike.
      const isListed = this.reported.has(device.address);
      const sort = isVirtual && !isListed ? `${device.kind} ${device.firmware ?? ''}` : device.address;
      if (isVirtual && this.reported.has(sort)) continue;
      this.attachDevice(scenario, sort, device);
    }
    if (!failed) return;
    attachJson(scenario, 'models.json', {
      devices: models,
      faults: await jsonAt(places.controlUrl, '/faults'),
      air: await jsonAt(places.controlUrl, '/air'),
    });
    for (const [file, lines] of scenario.transcripts) attachText(scenario, file, lines.join('\n'));
    await this.attachLogs(scenario);
    await this.attachTrace(scenario);
  }

  /** Attaches the changes of the servers, after the end of a scenario's own server. */
  async observe(scenario: Scenario, name: string): Promise<void> {
    const restarts = scenario.tags.includes('@own-server');
    for (const finding of await this.servers.observe(scenario, name, restarts)) {
      report(scenario, finding);
    }
  }

  /** The places without the servers that do not answer any more. */
  private get answering(): Places {
    const { urls, controlUrl } = this.places;
    const answering = (url: string | undefined): string | undefined =>
      url === undefined || this.servers.answers(url) ? url : undefined;
    return {
      ...this.places,
      urls: perKind((kind) => answering(urls[kind])),
      controlUrl: answering(controlUrl),
    };
  }

  private async attachLogs(scenario: Scenario): Promise<void> {
    const { log } = this.places;
    for (const { name, url } of placesOf(this.places)) {
      const file = `${name.toLowerCase().replace(' ', '-')}.log`;
      // The server does not know this path. When its log has the path, it also has all earlier requests.
      const last = `/end-of-scenario-${this.scenarios}`;
      if (this.servers.answers(url) && (await answersAt(url, last))) await log?.has(name, last, LOG_PATIENCE);
      const logText = log?.of(name) ?? '';
      attachText(
        scenario,
        file,
        logText === ''
          ? `The features do not have the log of this ${name}: it is on the terminal that started the ${name}.`
          : logText,
      );
    }
    const unlogged = log?.of(undefined) ?? '';
    if (unlogged !== '') attachText(scenario, 'rig.log', unlogged);
  }

  private async attachTrace(scenario: Scenario): Promise<void> {
    const { controlUrl } = this.answering;
    try {
      if (controlUrl === undefined) throw new Error('this bench cannot trace the air');
      const { status, text, bytes } = await questioner(controlUrl, TRACE_LIMIT).get('/trace');
      if (status !== 200) throw new Error(text);
      const trace = capturedSince(bytes, this.startedAt);
      scenario.attach(trace, { mediaType: 'application/octet-stream', fileName: 'air.btsnoop' });
    } catch (error) {
      attachText(scenario, 'air.txt', `There is no HCI capture: ${systemReason(error)}`);
    }
  }
}

/** The facts of `device` that are known, each the latest. */
const latest = (before: DeviceFacts, device: DeviceFacts): DeviceFacts => ({
  ...device,
  name: device.name ?? before.name,
  maker: device.maker ?? before.maker,
  firmware: device.firmware ?? before.firmware,
  battery: device.battery ?? before.battery,
  rssi: device.rssi ?? before.rssi,
});

/** Says a finding at once, and attaches it. */
const report = (scenario: Scenario, finding: Finding): void => {
  process.stderr.write(`${finding.text}\n`);
  attachJson(scenario, FINDING, finding);
};

const attachText = (scenario: Scenario, fileName: string, text: string): void =>
  scenario.attach(text, { mediaType: 'text/plain', fileName });

const attachJson = (scenario: Scenario, fileName: string, value: unknown): void =>
  scenario.attach(JSON.stringify(value, null, 2), { mediaType: 'application/json', fileName });
