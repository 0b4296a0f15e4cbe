/** A person acts, with instructions on a terminal. */
import { createInterface } from 'node:readline/promises';
import { Skip } from './skip.js';
import { instruction } from './actions.js';
import type { Actor } from './actor.js';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks on the terminal and waits for Enter, at most `secs`. */
export const operator = ({ input, output }: Terminal, secs: number): Actor => ({
  act: async (device, action) => {
    const lines = createInterface({ input, output });
    // readline handles Ctrl-C itself; the process must end by it.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const limit = AbortSignal.timeout(secs * 1000);
    try {
      const reply = await lines.question(
        `\n${instruction(device, action)}, then press Enter (s and Enter if you cannot; ${secs} s): `,
        { signal: limit },
      );
      if (reply.trim().toLowerCase() === 's') throw new Skip(`the operator could not do it: ${action.type}`);
    } catch (error) {
      if (!limit.aborted) throw error;
      throw new Error(`the operator did not answer within ${secs} s: ${instruction(device, action)}`, {
        cause: error,
      });
    } finally {
      lines.close();
    }
  },
  tries: true,
});
