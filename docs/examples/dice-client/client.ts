/**
 * A client of the dice server, on types that were made of its document:
 * `npx openapi-typescript http://localhost:3000/openapi.json --output dice-api.ts`
 */
import createClient from 'openapi-fetch';
import type { paths } from './dice-api.js';

/** Connects the first die that is heard, lights it, tells what is known of it, and lets it go. */
export const visit = async (baseUrl: string, scanSecs: number) => {
  const dice = createClient<paths>({ baseUrl });
  const scan = await dice.POST('/api/scan', { params: { query: { duration_secs: scanSecs } } });
  if (scan.error) throw new Error(scan.error.error);
  const [die] = scan.data;
  if (die === undefined) throw new Error('no die is in range');

  const connected = await dice.POST('/api/connect', { body: { address: die.address, dice_type: 'd6' } });
  if (connected.error) throw new Error(`${connected.error.code}: ${connected.error.error}`);
  const { session_id } = connected.data;
  const led = await dice.POST('/api/led', { body: { session_id, led1: '#FF8000' } });
  const status = await dice.GET('/api/status/{session_id}', { params: { path: { session_id } } });
  const gone = await dice.POST('/api/disconnect', { body: { session_id } });
  const again = await dice.POST('/api/disconnect', { body: { session_id } });
  return {
    led1: led.data?.led1,
    connected: status.data?.connected,
    disconnected: gone.data?.disconnected,
    code: again.error?.code,
  };
};
