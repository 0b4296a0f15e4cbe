#!/usr/bin/env node
/**
 * Replaces a robot: acts on the virtual devices of a control API, as the commands in a bench file act on real devices.
 *
 *   CONTROL_URL=http://localhost:3100 node ci/robot.mjs roll D1:CE:00:00:00:01 --die d6 --face 5
 *   CONTROL_URL=http://localhost:3100 node ci/robot.mjs model D1:CE:00:00:00:01
 */
const FAILED = 1;
const BAD_USAGE = 2;

const fail = (status, message) => {
  process.stderr.write(`${message}\n`);
  process.exit(status);
};

/** Reads `--face 5 --on true` with numbers and booleans. */
const values = (args) => {
  const fields = {};
  for (let index = 0; index < args.length; index += 2) {
    const [name, value] = args.slice(index, index + 2);
    if (!name.startsWith('--') || value === undefined) fail(BAD_USAGE, `${name} is not --name VALUE`);
    fields[name.slice(2)] = /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;
  }
  return fields;
};

const [action, address, ...args] = process.argv.slice(2);
const control = process.env.CONTROL_URL;
if (control === undefined) fail(BAD_USAGE, 'CONTROL_URL is missing, such as http://localhost:3100');
if (address === undefined) fail(BAD_USAGE, 'usage: robot.mjs ACTION ADDRESS [--name VALUE …]');

const send = async (method, path, body) => {
  const response = await fetch(control + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch(() => fail(FAILED, `the control API at ${control} does not answer: start it, or fix CONTROL_URL`));
  const text = await response.text();
  if (!response.ok) fail(FAILED, `${method} ${path}: ${text}`);
  process.stdout.write(`${text}\n`);
};

const act = (body) => send('POST', `/devices/${address}/actions`, body);
const place = (inRange) => send('PUT', `/air/${address}`, { in_range: inRange });

const special = {
  model: () => send('GET', `/devices/${address}`),
  shake: () => act({ type: 'roll', ending: 'none' }),
  away: () => place(false),
  back: () => place(true),
};

await (special[action] ?? (() => act({ type: action, ...values(args) })))();
