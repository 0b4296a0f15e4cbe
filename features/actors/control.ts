/** A control API acts: the device is a virtual one. */
import type { HttpClient } from '../clients/http.js';
import type { Action, Device } from './actions.js';
import type { Actor, ReadModel } from './actor.js';

const request = (address: string, action: Action): { method: string; path: string; body: object } => {
  const doing = (body: object) => ({ method: 'POST', path: `/devices/${address}/actions`, body });
  if (action.type === 'shake') return doing({ type: 'roll', ending: 'none' });
  return action.type === 'away' || action.type === 'back'
    ? { method: 'PUT', path: `/air/${address}`, body: { in_range: action.type === 'back' } }
    : doing(action);
};

const answered = async (
  control: HttpClient,
  { method, path, body }: { method: string; path: string; body?: object },
): Promise<unknown> => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, text, json } = await control.send({ method, path, ...sent });
  if (status !== 200) throw new Error(`${method} ${path} of the control API: ${text}`);
  return json;
};

export const controlActor = (control: HttpClient): Actor => ({
  act: async ({ address }: Device, action) => {
    await answered(control, request(address, action));
  },
  tries: false,
});

export const controlModel =
  (control: HttpClient): ReadModel =>
  async (address) =>
    (await answered(control, { method: 'GET', path: `/devices/${address}` })) as Awaited<
      ReturnType<ReadModel>
    >;
