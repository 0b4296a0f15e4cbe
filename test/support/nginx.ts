/** The sample for nginx, with its names, and other ports and files: the nginx of the system in front of both servers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Context } from 'mocha';
import { newFolder } from './folders.js';
import { Program } from './program.js';
import { requireProgram } from './require.js';

const SAMPLE = readFileSync('docs/production/nginx.conf', 'utf8');

/** The names in the sample. */
export const DICE = 'dice.example';
export const CLOCK = 'clock.example';
export const HOME = 'home.example';

/** What a rig is told, so that its servers trust the proxy. */
export const BEHIND_NGINX = ['--trust-proxy', 'loopback', '--allow-host', [DICE, CLOCK, HOME].join()];

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** One that is free now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** The text with each of these in it replaced, each of which must be there. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((before, [from, to]) => {
    expect(before).to.include(from);
    return before.replaceAll(from, to);
  }, text);

/** What a configuration has around the sample, so that nginx keeps to a folder. */
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

export interface Nginx {
  readonly port: number;
  readonly certificate: Buffer;
}

const running = new Set<Program>();

/** Skips the test where there is no nginx. */
export const requireNginx = (test: Context): void => {
  requireProgram(test, 'nginx');
  requireProgram(test, 'openssl');
};

/** nginx in front of both servers of `rig`, on a port of 127.0.0.1. */
export const startNginx = async (rig: Program): Promise<Nginx> => {
  const folder = newFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = [DICE, CLOCK, HOME].map((name) => `DNS:${name}`).join();
  const made = spawnSync('openssl', [
    ...['req', '-x509', ...EC_KEY, '-days', '2', '-subj', `/CN=${DICE}`],
    ...['-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert],
  ]);
  expect(made.status, made.stderr.toString()).to.equal(0);
  const placeOf = async (name: string): Promise<string> => `127.0.0.1:${new URL(await rig.url(name)).port}`;
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  const changes = {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '127.0.0.1:3000': await placeOf('dice server'),
    '127.0.0.1:3001': await placeOf('clock server'),
    '/etc/ssl/certs/airbench.pem': cert,
    '/etc/ssl/private/airbench.key': key,
  };
  writeFileSync(config, around(folder, replaced(SAMPLE, changes)));
  const args = ['-p', folder, '-c', config, '-e', 'stderr', '-g', 'daemon off;'];
  const nginx = Program.of(spawn('nginx', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  running.add(nginx);
  await nginx.logged(['start worker process ']);
  return { port, certificate: readFileSync(cert) };
};

/** Ends what `startNginx` started, its workers too. */
export const stopNginx = async (): Promise<void> => {
  await Promise.all([...running].map((nginx) => nginx.signal('SIGTERM')));
  running.clear();
};
