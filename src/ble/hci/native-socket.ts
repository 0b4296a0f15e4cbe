/**
 * Sockets of the native module, as Node's own would be: opened at once, closed by `stop`, with errors that have codes.
 * noble-and-bleno.md, "The native module", lists what the module does instead.
 */
import { EventEmitter } from 'node:events';
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getSystemErrorMap } from 'node:util';
import type { HciSocket } from './socket.js';

export const NATIVE_MODULE = '@stoprocent/bluetooth-hci-socket';

/** The module's part for Linux: the module itself takes another part if the environment says so. */
const LINUX_PART = `${NATIVE_MODULE}/lib/native.js`;

const require = createRequire(import.meta.url);

/** The module's socket, with a method that noble does not use. */
interface ModuleSocket extends HciSocket {
  /** Works only on an unbound socket. */
  getDeviceList(): readonly { readonly devId: number; readonly devUp: boolean }[];
}

const DESCRIPTORS = '/proc/self/fd';

/** The descriptors of this process's sockets, by their targets, such as `socket:[10897]`; empty on systems other than Linux. */
const openSockets = (): ReadonlyMap<string, number> => {
  const sockets = new Map<string, number>();
  if (process.platform !== 'linux') return sockets;
  for (const descriptor of readdirSync(DESCRIPTORS)) {
    try {
      sockets.set(readlinkSync(`${DESCRIPTORS}/${descriptor}`), Number(descriptor));
    } catch {
      // The descriptor of the folder itself.
    }
  }
  return new Map([...sockets].filter(([target]) => target.startsWith('socket:')));
};

/** The descriptor of the socket that `work` opens, if any. */
export const newSocketOf = (work: () => void): number | undefined => {
  const before = openSockets();
  work();
  return [...openSockets()].find(([target]) => !before.has(target))?.[1];
};

/** The only sign of a failed bind is the C library's text: glibc's, or musl's. */
const BIND_ERRORS: Readonly<Record<string, string>> = {
  'Operation not permitted': 'EPERM',
  'No such device': 'ENODEV',
  'Device or resource busy': 'EBUSY',
  'Resource busy': 'EBUSY',
  'Too many users': 'EUSERS',
};

/** An error of the module, with its code. */
const withCode = (error: NodeJS.ErrnoException): Error => {
  const { errno = 0, message } = error;
  const code = getSystemErrorMap().get(-errno)?.[0] ?? BIND_ERRORS[message];
  return code === undefined ? error : Object.assign(new Error(`${code}, ${message}`), { code });
};

/**
 * Stopped sockets of the module. As garbage, each of them would close its descriptor a second time, which by then may be
 * another file's.
 */
const stopped: ModuleSocket[] = [];

export class NativeSocket extends EventEmitter implements HciSocket {
  /** Undefined: stopped. */
  private module: ModuleSocket | undefined;
  private readonly descriptor: number | undefined;
  private isBound = false;
  private isStarted = false;

  /** @throws if the module cannot be loaded (`loadingAdvice` in `advice.ts`), or the system has no such sockets. */
  constructor() {
    super();
    const module = new (require(LINUX_PART) as new () => ModuleSocket)();
    let failure: Error | undefined;
    module.once('error', (error: Error) => (failure = withCode(error)));
    this.descriptor = newSocketOf(() => module.isDevUp());
    if (failure !== undefined) throw failure;
    module.removeAllListeners();
    module.on('error', (error: Error) => this.emit('error', withCode(error)));
    module.on('data', (packet: Buffer) => this.emit('data', packet));
    this.module = module;
  }

  bindRaw(device?: number): number {
    return this.bind((module) => module.bindRaw(device));
  }

  bindUser(device?: number): number {
    return this.bind((module) => module.bindUser(device));
  }

  bindControl(): void {
    this.bind((module) => module.bindControl());
  }

  start(): void {
    this.isStarted = true;
    this.module?.start();
  }

  isDevUp(): boolean {
    return this.module?.isDevUp() ?? false;
  }

  getDeviceList(): ReturnType<ModuleSocket['getDeviceList']> {
    return this.module?.getDeviceList() ?? [];
  }

  setFilter(filter: Buffer): void {
    this.module?.setFilter(filter);
  }

  write(packet: Buffer): void {
    this.module?.write(packet);
  }

  /**
   * Closes the socket if it is bound: as long as it is open, Linux does not reuse the number of its adapter. A started
   * socket is read by a thread of the module, for which this waits until the next packet, up to a second. A socket that
   * is not bound can still be bound; the module closes it as garbage.
   */
  stop(): void {
    const { module } = this;
    if (module === undefined || !this.isBound) return;
    this.module = undefined;
    this.removeAllListeners();
    module.removeAllListeners();
    stopped.push(module);
    if (this.isStarted) module.stop();
    else if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  private bind<A>(bind: (module: ModuleSocket) => A): A {
    if (this.module === undefined) throw new Error('the socket is stopped');
    try {
      const result = bind(this.module);
      this.isBound = true;
      return result;
    } catch (error) {
      throw withCode(error as Error);
    }
  }
}
