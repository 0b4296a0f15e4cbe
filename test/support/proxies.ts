/** nginx, HAProxy and Caddy in front of both servers, configured by the samples with other ports and files. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Context } from 'mocha';
import { freePort, makeCertificate } from '../../features/support/loopback.js';
import { newFolder } from './folders.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { requireProgram } from './require.js';

/** The names in the sample. */
export const DICE = 'dice.example';
export const CLOCK = 'clock.example';
export const HOME = 'home.example';

/** The flags by which the servers of a rig trust the proxy. */
export const BEHIND_PROXY = ['--trust-proxy', 'loopback', '--allow-host', [DICE, CLOCK, HOME].join()];

/** Replaces each key of `changes`, which the text must contain. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((changed, [from, to]) => {
    expect(changed).to.include(from);
    return changed.replaceAll(from, to);
  }, text);

/** The configuration of nginx around the sample: it writes to `folder` only. */
const around = (folder: string, sample: string): string => `
user ${userInfo().username};
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
${sample}
}
`;

export interface Proxy {
  readonly port: number;
  readonly certificate: Buffer;
}

const running = new Set<Program>();

/** The common part of all proxies in front of the servers of `rig`. */
const stageFor = async (rig: Program) => {
  const folder = newFolder();
  const port = await freePort();
  const names = [DICE, CLOCK, HOME].map((name) => `DNS:${name}`).join();
  const { cert, key } = makeCertificate(folder, DICE, ['-addext', `subjectAltName=${names}`]);
  const placeOf = async (name: string): Promise<string> => `127.0.0.1:${new URL(await rig.url(name)).port}`;
  const servers = {
    '127.0.0.1:3000': await placeOf('dice server'),
    '127.0.0.1:3001': await placeOf('clock server'),
  };
  return {
    ...{ folder, port, cert, key },
    /** Writes the sample `file`, changed, to the folder; returns its path. */
    configure: (
      file: string,
      changes: Readonly<Record<string, string>>,
      wrap: (sample: string) => string = (sample) => sample,
    ): string => {
      const config = join(folder, file);
      const sample = readFileSync(join('docs/production', file), 'utf8');
      writeFileSync(config, wrap(replaced(sample, { ...servers, ...changes })));
      return config;
    },
    /** Resolves when the log contains `readyLine`: the proxy serves. */
    serve: async (program: string, args: readonly string[], readyLine: string): Promise<Proxy> => {
      const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const proxy = Program.of(spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
      running.add(proxy);
      await proxy.logs([readyLine]);
      return { port, certificate: readFileSync(cert) };
    },
  };
};

/** Ends all proxies and their workers. */
export const stopProxies = async (): Promise<void> => {
  await Promise.all([...running].map((proxy) => proxy.signal('SIGTERM')));
  running.clear();
};

/** Skips the test where the proxy is missing. */
export const requireProxy = (test: Context, program: 'nginx' | 'haproxy' | 'caddy'): void => {
  requireProgram(test, program);
  requireProgram(test, 'openssl');
};

/** nginx in front of both servers of `rig`, on a port of 127.0.0.1. */
export const startNginx = async (rig: Program): Promise<Proxy> => {
  const { folder, port, cert, key, configure, serve } = await stageFor(rig);
  const changes = {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/certs/airbench.pem': cert,
    '/etc/ssl/private/airbench.key': key,
  };
  const config = configure('nginx.conf', changes, (sample) => around(folder, sample));
  const args = ['-p', folder, '-c', config, '-e', 'stderr', '-g', 'daemon off;'];
  return serve('nginx', args, 'start worker process ');
};

/** HAProxy in front of both servers; `changes`: of its sample, in addition to ports and files. */
export const startHaproxy = async (
  rig: Program,
  changes: Readonly<Record<string, string>> = {},
): Promise<Proxy> => {
  const { folder, port, cert, key, configure, serve } = await stageFor(rig);
  const both = join(folder, 'both.pem');
  writeFileSync(both, Buffer.concat([readFileSync(cert), readFileSync(key)]));
  const config = configure('haproxy.cfg', {
    'bind :443': `bind 127.0.0.1:${port}`,
    '/etc/ssl/private/airbench.pem': both,
    ...changes,
  });
  return serve('haproxy', ['-W', '-db', '-f', config], 'Loading success');
};

/** Caddy in front of both servers, with a certificate from a file. */
export const startCaddy = async (rig: Program): Promise<Proxy> => {
  const { port, cert, key, configure, serve } = await stageFor(rig);
  const sites = [DICE, CLOCK, HOME].map((name): readonly [string, string] => [
    `\n${name} {`,
    `\nhttps://${name}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
  ]);
  const off = '{\n\tadmin off\n\tauto_https off\n}\n';
  const config = configure('Caddyfile', Object.fromEntries(sites), (sample) => `${off}${sample}`);
  return serve('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], 'serving initial');
};
