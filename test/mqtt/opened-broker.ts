/** Connections to brokers, and brokers whose answers a test writes. */
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { pino } from 'pino';
import { startTcp } from '../../features/support/loopback.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { openBroker, type Message } from '../../src/mqtt/broker.js';
import { openMinuteLog } from '../../src/system/log.js';
import { keeper, type Keep } from '../support/keep.js';

export const WILL = { topic: 'server', payload: 'offline' };

export const keep: Keep = keeper();

export const open = (
  url: string,
  {
    time = systemTime,
    ...secrets
  }: Partial<Parameters<typeof openBroker>[0]> & { readonly time?: TimeSource } = {},
) => {
  const logLines: string[] = [];
  const received: Message[] = [];
  let dropped = 0;
  const events = new EventEmitter();
  const next = (event: string): Promise<unknown> => once(events, event);
  const log = pino(
    { base: null, timestamp: false },
    {
      write: (line: string) => {
        logLines.push((JSON.parse(line) as { readonly msg: string }).msg);
        events.emit('line');
      },
    },
  );
  const broker = openBroker(
    { url: new URL(url), ...secrets },
    {
      dropped: () => (dropped += 1),
      random: () => 0,
      ...{ time, log, minuteLog: openMinuteLog(log, time) },
    },
  );
  broker.start({
    subscriptions: () => ['commands/+'],
    will: () => WILL,
    opened: () => events.emit('opened'),
    lost: () => events.emit('lost'),
    received: (message) => {
      received.push(message);
      events.emit('received');
    },
  });
  keep(broker);
  return {
    ...{ broker, logLines, received },
    dropped: () => dropped,
    opened: () => next('opened'),
    lost: () => next('lost'),
    arrived: async (messages: number) => {
      while (received.length < messages) await next('received');
    },
    logged: async (part: string) => {
      while (!logLines.some((line) => line.includes(part))) await next('line');
    },
  };
};

export const tcp = async (serve: (socket: Socket) => void) => keep(await startTcp(serve));

export const CONNACK = [0x20, 3, 0, 0, 0];
