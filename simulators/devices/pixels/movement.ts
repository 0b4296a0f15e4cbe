import type { RollState } from '../../../src/protocols/pixels/index.js';
import { TimedSteps } from '../../timers.js';
import type { PixelContext, Roll } from './state.js';

/** A frame of the accelerometer, ms (docs/pixels-protocol.md §4). */
const FRAME_MS = 160;
const STILL_FRAMES = 3;

export interface Position {
  readonly rollState: RollState;
  readonly faceIndex: number;
}

/** How a die lies and moves, with a notification of each change. It holds timers while the die moves. */
export class Movement {
  private current: Position;
  private readonly steps: TimedSteps;
  /** The state at rest without a roll. */
  private readonly resting: RollState;

  constructor(
    faceIndex: number,
    reportsRolls: boolean,
    private readonly context: PixelContext,
  ) {
    this.resting = reportsRolls ? 'onFace' : 'rolled';
    this.current = { rollState: this.resting, faceIndex };
    this.steps = new TimedSteps(context.time);
  }

  get position(): Position {
    return this.current;
  }

  /** A roll that is under way starts again. `losesLink`: whether the link is lost halfway. */
  roll({ to, via, ending, rollMs }: Roll, losesLink: boolean): void {
    const { faceIndex } = this.current;
    this.show('handling', faceIndex);
    const rolling = (face: number) => (): void => {
      if (ending !== 'move') this.show('rolling', face);
    };
    const ends = {
      stable: () => this.show('rolled', to),
      tilt: () => this.show('crooked', to),
      move: () => this.show(this.resting, to),
      none: () => this.put(this.resting, to),
    };
    this.steps.start([
      [rollMs / 4, rolling(faceIndex)],
      [rollMs / 2, rolling(via)],
      ...(losesLink ? ([[rollMs / 2, this.context.dropLink]] as const) : []),
      [rollMs, ends[ending]],
      [rollMs + FRAME_MS, () => this.settle()],
    ]);
  }

  /** Turns by hand, too slowly for a roll. */
  turn(to: number): void {
    this.steps.cancel();
    this.show('handling', this.current.faceIndex);
    this.show(this.resting, to);
  }

  /** A motion too small to change the face. */
  nudge(): void {
    const { faceIndex } = this.current;
    this.show('handling', faceIndex);
    this.steps.start([[STILL_FRAMES * FRAME_MS, () => this.show(this.resting, faceIndex)]]);
  }

  /** Ends the movement without a notification. */
  rest(): void {
    this.steps.cancel();
    this.put(this.resting, this.current.faceIndex);
  }

  close(): void {
    this.steps.cancel();
  }

  /** A frame after the end of a roll the die is at rest, without a notification. */
  private settle(): void {
    const { rollState, faceIndex } = this.current;
    if (rollState === 'rolled') this.put(this.resting, faceIndex);
  }

  private show(rollState: RollState, faceIndex: number): void {
    if (rollState === this.current.rollState && faceIndex === this.current.faceIndex) return;
    this.put(rollState, faceIndex);
    this.context.notify({ _tag: 'RollState', state: rollState, faceIndex });
  }

  private put(rollState: RollState, faceIndex: number): void {
    this.current = { rollState, faceIndex };
    this.context.changed();
  }
}
