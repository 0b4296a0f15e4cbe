/** Notifications to systemd of a service of `Type=notify`: that it is ready, that it works, that it ends. */
import { execFile } from 'node:child_process';
import { get } from 'node:http';
import type { Task } from 'fp-ts/lib/Task.js';
import { detached } from '../../async/defects.js';
import { codeOf } from '../../system/system-error.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { writeLine } from '../output/log.js';

/** Notifies systemd by `systemd-notify`, since Node cannot send Unix datagrams. Resolves with the reason of a failure. */
const tell = (env: NodeJS.ProcessEnv, assignments: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile('systemd-notify', [...assignments], { env }, (error, _, stderr) => {
      if (error === null) resolve(undefined);
      else if (codeOf(error) === 'ENOENT') resolve('there is no systemd-notify on the PATH');
      else resolve(stderr.trim() || error.message);
    });
  });

/** Whether a server answers on a new connection within `ms`. */
const answers = (url: string, time: TimeSource, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      response.on('end', () => settle(true));
    });
    const cancel = time.after(ms, () => settle(false));
    const settle = (answered: boolean): void => {
      cancel();
      request.destroy();
      resolve(answered);
    };
    request.on('error', () => settle(false));
  });

/** Milliseconds without a notification after which systemd ends this process; undefined if systemd does not watch it. */
const watchdogOf = (env: NodeJS.ProcessEnv): number | undefined => {
  const { WATCHDOG_USEC: usec, WATCHDOG_PID: pid } = env;
  const ms = Number(usec) / 1000;
  return ms > 0 && (pid === undefined || pid === String(process.pid)) ? ms : undefined;
};

export interface Service {
  /** The text of `systemctl status`, in one line. */
  readonly status: string;
  /** The URL of the health check; every answer proves that the server works. */
  readonly health: string | undefined;
  readonly time: TimeSource;
  readonly env: NodeJS.ProcessEnv;
}

/** Notifies systemd, if it started this process, that the server is ready, and regularly that it works; the task: that it ends. */
export const notifySystemd = ({ status, health, time, env }: Service): Task<void> => {
  if (env['NOTIFY_SOCKET'] === undefined) return () => Promise.resolve();
  const say = async (...assignments: readonly string[]): Promise<void> => {
    const failed = await tell(env, assignments);
    if (failed !== undefined) writeLine(`cannot notify systemd of ${assignments.join(', ')}: ${failed}`);
  };
  const limit = watchdogOf(env);
  let cancel: Cancel = () => undefined;
  let ending = false;
  const watch = (url: string, ms: number): void => {
    if (ending) return;
    cancel = time.after(ms / 2, () => {
      detached(
        answers(url, time, ms / 4).then(async (works) => {
          if (works) await say('WATCHDOG=1');
          else writeLine(`${url} does not answer within ${ms / 4000} s: systemd is not told that it works`);
          watch(url, ms);
        }),
      );
    });
  };
  detached(
    say('READY=1', `STATUS=${status}`).then(() => {
      if (limit !== undefined && health !== undefined) watch(health, limit);
    }),
  );
  return () => {
    ending = true;
    cancel();
    return say('STOPPING=1');
  };
};
