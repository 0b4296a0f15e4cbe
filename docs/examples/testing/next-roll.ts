/** The program under test: connects a die, and returns the face that it rolls next. */
import { once } from 'node:events';
import type { World } from 'airbench/testing';
import { WebSocket } from 'ws';

/** Resolves once it listens. */
export const awaitRoll = async (
  { dice }: Pick<World, 'dice'>,
  address: string,
): Promise<{ readonly face: Promise<number> }> => {
  await dice.post('/api/connect', { address });
  const socket = new WebSocket(dice.socket('/ws'));
  await once(socket, 'open');
  const face = new Promise<number>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as { readonly kind: string; readonly face: number };
      if (event.kind !== 'Stable') return;
      socket.close();
      resolve(event.face);
    });
  });
  return { face };
};
