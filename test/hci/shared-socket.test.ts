/** A shared adapter's socket on a native module with the side effects of the real module (`Write`, `BindRaw` there). */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { SharedSocket } from '../../src/ble/hci/shared-socket.js';
import { bytes, text } from '../support/hci-host.js';
import { withNativeModule } from '../support/native-module.js';

/** Core 5.4 Vol 4 Part E 7.8.12: to the random address D1:CE:00:00:00:01. */
const CREATE = bytes(
  '01 0D 20 19 60 00 30 00 00 01 01 00 00 00 CE D1 00 06 00 12 00 00 00 90 01 04 00 06 00',
);
/** 7.7.65.1 and 7.7.65.10: handle 0x0040, this side the central of D1:CE:00:00:00:01, 7.5 ms, 4 s. */
const COMPLETE = bytes('04 3E 13 01 00 40 00 00 01 01 00 00 00 CE D1 06 00 00 00 90 01 00');
/** The same to D1:CE:00:00:00:02. */
const OTHER = bytes('04 3E 13 01 00 40 00 00 01 02 00 00 00 CE D1 06 00 00 00 90 01 00');
const ENHANCED = bytes(
  '04 3E 1F 0A 00 40 00 00 01 01 00 00 00 CE D1 00 00 00 00 00 00 00 00 00 00 00 00 06 00 00 00 90 01 00',
);
/** 7.7.65.4, of handle 0x0040. */
const FEATURES = bytes('04 3E 0C 04 00 40 00 01 00 00 00 00 00 00 00');

/** The connection that the module requests of the kernel: command, address and its type. */
const connects = (packet: Buffer): string | undefined =>
  packet.length === 29 && packet.readUInt16LE(1) === 0x200d ? text(packet.subarray(9, 16)) : undefined;
const DEVICE = '01 01 00 00 00 ce d1';

describe('A socket that shares an adapter', () => {
  let sent: string[];
  let connected: string[];
  let bound: number[];
  let stopped: number;
  let isInKernel: boolean;
  let gone: boolean;

  class Native extends EventEmitter {
    private mode = 'raw';
    private isBound = false;

    bindRaw(device: number): number {
      if (gone) throw new Error('No such device');
      this.mode = 'raw';
      this.isBound = true;
      bound.push(device);
      return device;
    }
    bindControl(): void {
      this.mode = 'control';
      if (this.isBound) throw new Error('Operation already in progress');
    }
    write(packet: Buffer): void {
      const device = this.mode === 'raw' ? connects(packet) : undefined;
      if (device === undefined) sent.push(text(packet));
      else connected.push(device);
    }
    isDevUp = (): boolean => true;
    start = (): void => undefined;
    stop(): void {
      stopped += 1;
    }
  }

  beforeEach(() => {
    [sent, connected, bound, stopped, isInKernel, gone] = [[], [], [], 0, true, false];
  });

  /** Runs `task` with the socket of hci2, whose link the kernel has if `isInKernel`. */
  const shared = (task: (socket: SharedSocket) => void): Promise<void> =>
    withNativeModule(
      () => Native,
      () => {
        const socket = new SharedSocket((device, handle) => isInKernel && device === 2 && handle === 0x40);
        socket.bindRaw(2);
        task(socket);
        return Promise.resolve();
      },
    );

  it('sends LE Create Connection to the controller; the kernel is not made to seek the device', () =>
    shared((socket) => {
      socket.write(CREATE);
      expect([sent, connected]).to.deep.equal([[text(CREATE)], []]);
    }));

  for (const [event, complete] of [
    ['Connection Complete', COMPLETE],
    ['Enhanced Connection Complete', ENHANCED],
  ] as const) {
    it(`holds a link as soon as the kernel has it, after ${event}`, () =>
      shared((socket) => {
        socket.emit('data', complete);
        expect(connected).to.deep.equal([]);
        socket.emit('data', FEATURES);
        expect([connected, sent, bound]).to.deep.equal([[DEVICE], [], [2, 2]]);
      }));
  }

  it('holds each link once, all links by one socket', () =>
    shared((socket) => {
      for (const packet of [COMPLETE, FEATURES, FEATURES, COMPLETE, FEATURES, OTHER, FEATURES])
        socket.emit('data', packet);
      expect([connected, bound]).to.deep.equal([
        [DEVICE, DEVICE, '01 02 00 00 00 ce d1'],
        [2, 2],
      ]);
    }));

  for (const [kind, packets] of [
    ['that failed', ['04 3E 13 01 3E 40 00 00 01 01 00 00 00 CE D1 06 00 00 00 90 01 00', text(FEATURES)]],
    [
      'in which this side is the peripheral',
      ['04 3E 13 01 00 40 00 01 01 01 00 00 00 CE D1 06 00 00 00 90 01 00', text(FEATURES)],
    ],
    ['without its Connection Complete', [text(FEATURES)]],
    ['with a truncated Connection Complete', [text(COMPLETE.subarray(0, 12)), text(FEATURES)]],
  ] as const) {
    it(`holds no link ${kind}`, () =>
      shared((socket) => {
        for (const packet of packets) socket.emit('data', bytes(packet));
        expect(connected).to.deep.equal([]);
      }));
  }

  it('holds no link that has ended: the kernel would seek the device', () =>
    shared((socket) => {
      isInKernel = false;
      socket.emit('data', COMPLETE);
      socket.emit('data', FEATURES);
      expect(connected).to.deep.equal([]);
    }));

  it('reports a link that it cannot hold, like a packet that the module cannot send', () =>
    shared((socket) => {
      const errors: unknown[] = [];
      socket.on('error', (error: Error) => errors.push(error.message));
      socket.emit('data', COMPLETE);
      gone = true;
      socket.emit('data', FEATURES);
      expect(errors).to.deep.equal(['ENODEV, No such device']);
    }));

  it('is read until it stops', () =>
    shared((socket) => {
      socket.start();
      socket.stop();
      socket.write(CREATE);
      expect([stopped, sent]).to.deep.equal([1, []]);
    }));
});
