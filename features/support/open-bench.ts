/** Opens the bench of a run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { KINDS, perKind, type Kind } from '../../src/contract/kinds.js';
import { messageOf } from '../../src/system/system-error.js';
import type { ActionType } from '../actors/actions.js';
import type { Hands } from '../actors/actor.js';
import { controlHands, describedHands, lacksOf } from '../bench/actuators.js';
import { requireAdapter } from '../bench/adapter.js';
import type { Bench } from '../bench/bench.js';
import { readBenchFile, type BenchFile, type ListedDie } from '../bench/bench-file.js';
import { CannotRun } from '../bench/cannot-run.js';
import { lockBench } from '../bench/lock.js';
import { startProgram, type ServerProgram, type StartedProgram } from '../bench/programs.js';
import { knowServer, questioner } from '../clients/clients.js';
import { Control } from '../../simulators/testing/index.js';
import type { BenchName, Parameters } from './parameters.js';
import { startRig, type Rig } from './rig.js';
import { ServerLog } from '../bench/server-log.js';

/** The open resources of a bench, which close newest first, and their logs. */
class Opened {
  /** Undefined before the first start of a program. */
  log: ServerLog | undefined;
  private readonly closers: (() => Promise<void> | void)[] = [];

  add(closer: () => Promise<void> | void): void {
    this.closers.unshift(closer);
  }

  /** Starts `airbench ARGS`, which the caller closes. */
  launch(args: readonly string[], part: string): Promise<StartedProgram> {
    this.log ??= new ServerLog((line) => void process.stderr.write(`${line}\n`));
    return startProgram(args, part, this.log);
  }

  readonly close = async (): Promise<void> => {
    for (const closer of this.closers.splice(0)) await closer();
  };
}

type Urls = Bench['urls'];

const byControl =
  (except: readonly ActionType[] = []) =>
  (control: Control | undefined): Hands =>
    control === undefined ? { actors: {}, readModel: undefined } : controlHands(control, except);

type Programs = Bench['programs'];

const NO_PROGRAMS: Programs = perKind(() => undefined);

const simulation = (
  urls: Urls,
  controlUrl: string,
  close: () => Promise<void>,
  programs = NO_PROGRAMS,
): Bench => ({
  ...{ urls, controlUrl, close, programs },
  hands: byControl(),
  ...{ station: undefined, operator: undefined, patience: undefined },
  ...{ virtualAir: true, dice: [], clocks: [], destructive: true, problems: [], lacking: [] },
});

/** The log of every request and its outcome, which explains a failure. */
const LOGGING = ['--verbose', '2'];

/** A folder that is removed with the bench. */
const newFolder = (opened: Opened): string => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-features-'));
  opened.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts a rig for this worker, and makes a folder for the data of other servers. */
const openRig = async (
  opened: Opened,
  { maker, reports }: Parameters,
  flags: Readonly<Record<string, number>> = {},
): Promise<{ readonly rig: Rig; readonly folder: string }> => {
  const worker = process.env['CUCUMBER_WORKER_ID'] ?? '0';
  const rig = await startRig(reports, `features-${maker.toLowerCase()}-${worker}`, flags);
  opened.add(rig.close);
  return { rig, folder: newFolder(opened) };
};

/** Servers that may run beside the servers of the bench. */
const additionalServers = (
  { rig, folder }: { readonly rig: Rig; readonly folder: string },
  radio: () => Promise<readonly string[]>,
): Readonly<Record<Kind, ServerProgram>> => {
  const program = (kind: Kind): ServerProgram => ({
    start: async (flags) =>
      startProgram(
        [kind, '--data-dir', folder, ...(await radio()), ...LOGGING, ...flags],
        `${kind} server`,
        rig.log,
      ),
    makeRoom: () => Promise.resolve(() => Promise.resolve()),
  });
  return perKind(program);
};

const onRig = (rig: Rig, { close }: Opened, programs: Programs): Bench => ({
  ...simulation(
    perKind((kind) => rig[kind].url),
    rig.control.url,
    close,
    programs,
  ),
  log: rig.log,
});

const simulated = async (opened: Opened, parameters: Parameters): Promise<Bench> => {
  const { rig, folder } = await openRig(opened, parameters);
  // Each server has its own adapter.
  const programs = additionalServers({ rig, folder }, () => Promise.resolve(['--hci', rig.hci]));
  return onRig(rig, opened, programs);
};

/** Each proxy has room for as many links as an adapter of the rig. */
const SLOTS = 20;
const PROXIES = { proxies: 2, 'proxy-port': 0, 'proxy-slots': SLOTS };

interface ListedProxy {
  readonly port: number;
  readonly mac: string;
}

/** Like `simulated`, but the radio of the servers is the proxies of the rig. */
const proxied = async (opened: Opened, parameters: Parameters): Promise<Bench> => {
  const { rig, folder } = await openRig(opened, parameters, PROXIES);
  const proxies = (await rig.control.get('/proxies')) as readonly ListedProxy[];
  /** A proxy serves one client: an additional server gets another proxy, which ends with the scenario. */
  const newRadio = async (): Promise<readonly string[]> => {
    const { port } = (await rig.control.post('/proxies', { slots: SLOTS })) as ListedProxy;
    return ['--proxy', `esphome://127.0.0.1:${port}`];
  };
  return {
    ...onRig(rig, opened, additionalServers({ rig, folder }, newRadio)),
    spareProxies: proxies.filter((_, index) => index % PROXIES.proxies > 0).map(({ mac }) => mac),
  };
};

/** Reads the bench file and locks the bench. */
const describedBench = ({ file = '' }: Parameters, opened: Opened): BenchFile => {
  const read = readBenchFile(file);
  if (E.isLeft(read)) throw new CannotRun(read.left);
  opened.add(lockBench(file));
  return read.right;
};

const onFile = (file: BenchFile, urls: Urls, opened: Opened, programs = NO_PROGRAMS): Bench => ({
  ...{ urls, controlUrl: file.control, close: opened.close, log: opened.log, programs },
  hands: describedHands(file, (closer) => opened.add(closer)),
  ...lacksOf(file),
  ...{ station: file.station, operator: file.operator },
  virtualAir: file.control !== undefined,
  dice: file.dice ?? [],
  clocks: file.clocks ?? [],
  destructive: file.destructive ?? file.control !== undefined,
  patience: file.limits?.patience_secs === undefined ? undefined : file.limits.patience_secs * 1000,
});

const attach = (opened: Opened, parameters: Parameters): Bench => {
  if (parameters.urls !== undefined) {
    const { control, ...servers } = parameters.urls;
    const urls = perKind((kind) => servers[kind]);
    return control === undefined
      ? onFile({ servers: {} }, urls, opened)
      : simulation(urls, control, () => Promise.resolve());
  }
  const file = describedBench(parameters, opened);
  const urlOf = (name: Kind): string | undefined => {
    const server = file.servers[name];
    if (server !== undefined && server.url === undefined) {
      throw new CannotRun(`a bench with a control API starts nothing: servers.${name} must have a url`);
    }
    return server?.url;
  };
  return onFile(file, perKind(urlOf), opened);
};

/** A server of the bench, and the program that starts another server in its place. */
interface Served {
  readonly url?: string;
  readonly program?: ServerProgram;
}

/** Starts the server, unless the bench file says that it is up. */
const serve = async ({ servers }: BenchFile, name: Kind, opened: Opened): Promise<Served> => {
  const { url, hci, args = [] } = servers[name] ?? {};
  if (hci === undefined) return url === undefined ? {} : { url };
  requireAdapter(`servers.${name}.hci`, hci);
  // The usual folder of a clock server has the tokens of its clocks.
  const memory = name === 'dice' ? ['--data-dir', newFolder(opened)] : [];
  const start = (flags: readonly string[]): Promise<StartedProgram> =>
    opened.launch([name, '--hci', hci, ...memory, ...LOGGING, ...args, ...flags], `${name} server`);
  const place = (port: number): readonly string[] => ['--address', '127.0.0.1', '--port', String(port)];
  let running = await start(place(0));
  const { url: startedAt } = running;
  opened.add(() => running.program.close());
  const makeRoom = async (): Promise<() => Promise<void>> => {
    await running.program.close();
    return async () => {
      running = await start(place(Number(new URL(startedAt).port)));
    };
  };
  return { url: startedAt, program: { start, makeRoom } };
};

const onServed = (file: BenchFile, served: Readonly<Partial<Record<Kind, Served>>>, opened: Opened): Bench =>
  onFile(
    file,
    perKind((kind) => served[kind]?.url),
    opened,
    perKind((kind) => served[kind]?.program),
  );

const physical = async (opened: Opened, parameters: Parameters): Promise<Bench> => {
  const file = describedBench(parameters, opened);
  const served: Partial<Record<Kind, Served>> = {};
  for (const kind of KINDS) served[kind] = await serve(file, kind, opened);
  return onServed(file, served, opened);
};

type Air = NonNullable<BenchFile['air']>;

/** The URL of the control API of the devices. Starts the API, unless the bench file says that it is up. */
const deviceSide = async ({ adapter, device, url }: Air, opened: Opened): Promise<string> => {
  if (adapter === undefined) return url ?? '';
  requireAdapter('air.adapter', adapter);
  const args = ['air', '--adapter', adapter, '--device', device];
  const place = ['--control-address', '127.0.0.1', '--control-port', '0'];
  const started = await opened.launch([...args, ...place, ...LOGGING], 'control API');
  opened.add(() => started.program.close());
  return started.url;
};

type ListedDevice = ListedDie & { readonly kind: string };

const devicesAt = async (controlUrl: string): Promise<readonly ListedDevice[]> => {
  knowServer('control API', controlUrl);
  try {
    return (await new Control(controlUrl, questioner(controlUrl)).get('/devices')) as readonly ListedDevice[];
  } catch (error) {
    throw new CannotRun(`the control API does not list its devices: ${messageOf(error)}`);
  }
};

/** One virtual device on its own real adapter. The device acts, but scenarios cannot cause faults on the air. */
const bench = async (opened: Opened, parameters: Parameters): Promise<Bench> => {
  const file = describedBench(parameters, opened);
  const { air } = file;
  if (air === undefined) throw new CannotRun('a virtual device on an adapter needs air');
  const { adapter, device } = air;
  const server = file.servers[device];
  if (server === undefined)
    throw new CannotRun(`the bench file needs servers.${device}, since air is a ${device}`);
  // Two times `default` are two adapters: the one of the device is not free for the server.
  if (adapter !== undefined && adapter !== 'default' && adapter === server.hci?.replace(/^user:/, '')) {
    throw new CannotRun(`air.adapter and servers.${device}.hci must be two adapters, both are ${adapter}`);
  }
  const controlUrl = await deviceSide(air, opened);
  const listed = await devicesAt(controlUrl);
  const served = await serve(file, device, opened);
  const devices = listed.filter(({ kind }) => kind === device);
  const isDice = device === 'dice';
  const ofKind = { dice: isDice ? devices : [], clocks: isDice ? [] : devices };
  return {
    ...onServed({ ...file, ...ofKind }, { [device]: served }, opened),
    hands: byControl(['away', 'back']),
    ...{ controlUrl, virtualAir: false, destructive: true, lacking: [] },
  };
};

const benches: Readonly<
  Record<BenchName, (opened: Opened, parameters: Parameters) => Promise<Bench> | Bench>
> = { simulated, proxy: proxied, attach, bench, physical };

/** Opens the bench of a run. Rejects with `CannotRun` if the bench is missing or its description is wrong. */
export const openBench = async (parameters: Parameters): Promise<Bench> => {
  const opened = new Opened();
  try {
    return await benches[parameters.bench](opened, parameters);
  } catch (error) {
    await opened.close();
    throw error;
  }
};
