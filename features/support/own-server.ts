/** A server that a scenario starts in the place of the bench's, so that it can end it and start it again. */
import type { ServerProgram, StartedProgram } from '../bench/programs.js';
import { HttpClient } from '../clients/http.js';

export type End = 'ends in order' | 'is killed';

export class OwnServer {
  http: HttpClient;

  private constructor(
    private readonly program: ServerProgram,
    private readonly flags: readonly string[],
    private running: StartedProgram,
    private readonly makeWay: () => Promise<void>,
  ) {
    this.http = clientOf(running);
  }

  static async start(program: ServerProgram, flags: readonly string[]): Promise<OwnServer> {
    const makeWay = await program.makeRoom();
    try {
      return new OwnServer(program, flags, await program.start(flags), makeWay);
    } catch (error) {
      await makeWay();
      throw error;
    }
  }

  get port(): number {
    return this.running.port;
  }

  async restart(how: End): Promise<void> {
    await (how === 'is killed' ? this.running.kill() : this.running.close());
    this.running = await this.program.start(this.flags);
    this.http = clientOf(this.running);
  }

  async close(): Promise<void> {
    await this.running.close();
    await this.makeWay();
  }
}

const clientOf = ({ port }: StartedProgram): HttpClient => new HttpClient(`http://127.0.0.1:${port}`);
