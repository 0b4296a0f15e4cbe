import { once } from 'node:events';
import { join } from 'node:path';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Context } from 'mocha';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { newFolder } from './folders.js';
import { requireProgram } from './require.js';

/** Prints each datagram as a line of JSON, after `null` when the socket exists: Node has no Unix datagrams. */
const LISTENER = `
import json, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print('null', flush=True)
while True:
    print(json.dumps(listener.recv(4096).decode()), flush=True)
`;

const opened = new Set<NotifySocket>();

/** Closes all open sockets. */
export const closeNotifySockets = (): void => {
  for (const socket of opened) socket.close();
  opened.clear();
};

/** systemd's end of a `NOTIFY_SOCKET`. */
export class NotifySocket {
  /** The unread messages in order, without the barriers of systemd-notify. */
  private readonly waiting: string[] = [];
  private readonly arrivals = new Arrivals();

  private constructor(
    readonly path: string,
    private readonly listener: ChildProcessWithoutNullStreams,
  ) {}

  /** Skips the test without its programs, or fails it if the run requires them. */
  static async open(test: Context): Promise<NotifySocket> {
    for (const program of ['python3', 'systemd-notify']) requireProgram(test, program);
    const path = join(newFolder(), 'notify');
    const listener = spawn('python3', ['-c', LISTENER, path]);
    const socket = new NotifySocket(path, listener);
    opened.add(socket);
    const lines = createInterface({ input: listener.stdout });
    await once(lines, 'line');
    lines.on('line', (line) => {
      const message = JSON.parse(line) as string;
      if (message.startsWith('BARRIER=')) return;
      socket.waiting.push(message);
      socket.arrivals.notify();
    });
    return socket;
  }

  /** The next message; undefined after `ms` without one. */
  next(ms = 15_000): Promise<string | undefined> {
    return this.arrivals.until(() => this.waiting.shift(), 'no message', ms).catch(() => undefined);
  }

  close(): void {
    this.listener.kill('SIGKILL');
  }
}
