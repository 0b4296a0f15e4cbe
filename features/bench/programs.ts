/** Programs that a bench starts: they end with the run, however it ends. */
import { messageOf } from '../../src/system/system-error.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { CannotRun } from './cannot-run.js';
import type { ServerLog } from './server-log.js';

export interface StartedProgram {
  readonly url: string;
  readonly program: Program;
}

/** The place of a server and its tokens are not for the environment to say; its other flags are. */
const NOT_INHERITED = {
  AIRBENCH_ADDRESS: undefined,
  AIRBENCH_PORT: undefined,
  AIRBENCH_TOKEN: undefined,
  AIRBENCH_TOKEN_FILE: undefined,
  AIRBENCH_CONTROL_TOKEN: undefined,
  AIRBENCH_CONTROL_TOKEN_FILE: undefined,
};

/** Starts `airbench ARGS`, which then says where its `part` is. Its stderr goes to `log` from then on. */
export const startProgram = async (
  args: readonly string[],
  part: string,
  log: ServerLog,
): Promise<StartedProgram> => {
  const lines: string[] = [];
  let receive = (line: string): void => void lines.push(line);
  const program = Program.airbench(args, {
    tie: 'channel',
    env: { ...process.env, ...NOT_INHERITED },
    onLog: (line) => receive(line),
  });
  try {
    const url = await program.url(part);
    receive = (line) => log.push(line);
    lines.forEach(receive);
    return { url, program };
  } catch (error) {
    const reason = lines.join('\n').trim() || messageOf(error);
    throw new CannotRun(`airbench ${args.join(' ')} did not start: ${reason}`);
  }
};

/** A server that scenarios may start for themselves. */
export interface ServerProgram {
  /** Starts it where the devices of the bench are, with more flags. */
  readonly start: (flags: readonly string[]) => Promise<StartedProgram>;
  /** Ends the server of the bench that is in its place, if there is one; the result starts that one again. */
  readonly makeRoom: () => Promise<() => Promise<void>>;
}

/** A server that a scenario has started, in the place of the bench's. */
export class OwnServer {
  private constructor(
    private readonly server: ServerProgram,
    private readonly flags: readonly string[],
    private running: StartedProgram,
    private readonly makeWay: () => Promise<void>,
  ) {}

  static async start(server: ServerProgram, flags: readonly string[]): Promise<OwnServer> {
    const makeWay = await server.makeRoom();
    try {
      return new OwnServer(server, flags, await server.start(flags), makeWay);
    } catch (error) {
      await makeWay();
      throw error;
    }
  }

  /** The loopback address of the server, which may listen on others too. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): string {
    return new URL(this.running.url).port;
  }

  async restart(how: 'ends in order' | 'is killed'): Promise<void> {
    const { program } = this.running;
    await (how === 'is killed' ? program.signal('SIGKILL') : program.close());
    this.running = await this.server.start(this.flags);
  }

  async close(): Promise<void> {
    await this.running.program.close();
    await this.makeWay();
  }
}
