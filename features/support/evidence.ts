/** The evidence in a report beside the steps: devices and servers, and for a failed scenario their logs and state. */
import { KINDS } from '../../src/contract/kinds.js';
import { systemReason } from '../../src/system/system-error.js';
import { DEVICE_FACTS, RUN_FACTS } from '../report/facts.js';
import { authorizationFor } from '../clients/clients.js';
import { capturedSince } from './btsnoop.js';
import {
  ANSWER_PATIENCE,
  answersAt,
  deviceFacts,
  deviceModels,
  devicesOfScenario,
  jsonAt,
  runFacts,
  type Places,
} from './facts.js';
import type { Parameters } from './parameters.js';
import type { Scenario } from './scenario.js';

/** How long a server may take to log the last request, milliseconds. */
const LOG_PATIENCE = 2000;

export class Evidence {
  private startedAt = 0;
  private hasRunFacts = false;
  private scenarios = 0;
  private readonly reportedSorts = new Set<string>();

  constructor(
    private readonly parameters: Parameters,
    private readonly places: Places,
  ) {}

  /** Begins a scenario. The first scenario of a worker attaches the facts of the run. */
  async begin(scenario: Scenario): Promise<void> {
    this.scenarios += 1;
    this.places.log?.begin();
    this.startedAt = Date.now();
    if (this.hasRunFacts) return;
    this.hasRunFacts = true;
    attachJson(scenario, RUN_FACTS, await runFacts(this.parameters, this.places));
  }

  /** Ends a scenario, before a hook changes its devices. Of a failed scenario, attaches logs, transcripts and state. */
  async end(scenario: Scenario, failed: boolean): Promise<void> {
    const models = await deviceModels(this.places);
    const { controlUrl } = this.places;
    const devices =
      controlUrl === undefined ? await devicesOfScenario(this.places, scenario) : models.map(deviceFacts);
    for (const device of devices) {
      // Scenarios use hundreds of virtual devices, which are alike.
      const sort = `${controlUrl === undefined ? device.address : device.kind} ${device.firmware ?? ''}`;
      if (this.reportedSorts.has(sort)) continue;
      this.reportedSorts.add(sort);
      attachJson(scenario, DEVICE_FACTS, device);
    }
    if (!failed) return;
    attachJson(scenario, 'models.json', {
      devices: models,
      faults: await jsonAt(controlUrl, '/faults'),
      air: await jsonAt(controlUrl, '/air'),
    });
    for (const [file, lines] of scenario.transcripts) attachText(scenario, file, lines.join('\n'));
    await this.attachLogs(scenario);
    await this.attachTrace(scenario);
  }

  private async attachLogs(scenario: Scenario): Promise<void> {
    const { log, urls, controlUrl } = this.places;
    const servers = KINDS.map((kind) => [`${kind} server`, urls[kind]] as const);
    for (const [name, url] of [...servers, ['control API', controlUrl] as const]) {
      if (url === undefined) continue;
      const file = `${name.toLowerCase().replace(' ', '-')}.log`;
      // The server does not know this path. When its log has the path, it also has all earlier requests.
      const last = `/end-of-scenario-${this.scenarios}`;
      if (await answersAt(url, last)) await log?.has(name, last, LOG_PATIENCE);
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
    const { controlUrl } = this.places;
    try {
      if (controlUrl === undefined) throw new Error('this bench cannot trace the air');
      const response = await fetch(`${controlUrl}/trace`, {
        headers: authorizationFor(controlUrl),
        signal: AbortSignal.timeout(ANSWER_PATIENCE),
      });
      if (!response.ok) throw new Error(await response.text());
      const trace = capturedSince(Buffer.from(await response.arrayBuffer()), this.startedAt);
      scenario.attach(trace, { mediaType: 'application/octet-stream', fileName: 'air.btsnoop' });
    } catch (error) {
      attachText(scenario, 'air.txt', `There is no HCI capture: ${systemReason(error)}`);
    }
  }
}

const attachText = (scenario: Scenario, fileName: string, text: string): void =>
  scenario.attach(text, { mediaType: 'text/plain', fileName });

const attachJson = (scenario: Scenario, fileName: string, value: unknown): void =>
  scenario.attach(JSON.stringify(value, null, 2), { mediaType: 'application/json', fileName });
