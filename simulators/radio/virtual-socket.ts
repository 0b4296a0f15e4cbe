import { EventEmitter } from 'node:events';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import type { Air } from './air.js';
import type { Controller, ControllerOptions } from './controller.js';

/** A host's socket to a controller of its own in the same process. */
export class VirtualSocket extends EventEmitter implements HciSocket {
  readonly controller: Controller;
  private started = false;

  constructor(
    private readonly air: Air,
    options: ControllerOptions,
  ) {
    super();
    // A kernel would hold back what such a host sends too soon: no controller would see its mistakes.
    this.controller = air.add(
      { ...options, strict: false },
      {
        receive: (packet) => {
          if (this.started) this.emit('data', packet);
        },
        power: (on) => this.emit(on ? 'up' : 'down'),
      },
    );
  }

  bindRaw = (): number => this.controller.index;
  bindUser = (): number => this.controller.index;
  bindControl = (): void => undefined;
  setFilter = (): void => undefined;
  isDevUp = (): boolean => this.controller.powered;

  start(): void {
    this.started = true;
  }

  stop(): void {
    this.started = false;
  }

  write(packet: Buffer): void {
    this.controller.receive(packet);
  }

  /** Takes the controller out of the air for good. */
  detach(): void {
    this.stop();
    this.air.remove(this.controller);
  }
}
