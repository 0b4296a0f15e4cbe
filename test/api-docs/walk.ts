/** Calls every operation of the servers and of the control API, and records all responses and messages. */
import { documentEndpoints, metricsEndpoints } from '../../src/contract/index.js';
import { walkClock } from './clock-walk.js';
import { failAnywhere, failWhileClosing } from './common-failures.js';
import { walkControl } from './control-walk.js';
import { walkDice } from './dice-walk.js';
import type { Recorder } from './recorder.js';
import { openStage } from './stage.js';

/** The requests to one server, and its responses. */
export type Walked = Pick<Recorder, 'contract' | 'exchanges' | 'messages'>;

export const walk = async (): Promise<readonly Walked[]> => {
  const stage = await openStage();
  const { dice, forgetful, clock, control, broken } = stage;
  try {
    await walkControl(stage);
    await walkDice(stage);
    await walkClock(stage);
    for (const recorder of [dice.recorder, clock.recorder, control]) {
      for (const operation of Object.keys({ ...metricsEndpoints, ...documentEndpoints })) {
        await recorder.succeed(operation);
      }
      await failAnywhere(recorder);
    }
    for (const { recorder, close } of [dice, clock]) {
      await recorder.succeed('setLog', { body: { verbose: 1 } });
      await recorder.succeed('log');
      await recorder.succeed('about');
      await recorder.succeed('radios');
      await failWhileClosing(recorder, close);
    }
    await failWhileClosing(control, stage.closeControl);
  } finally {
    await stage.close();
  }
  const withThoseOf = (recorder: Recorder, other: Recorder): Walked => {
    const { contract, messages } = recorder;
    return { contract, messages, exchanges: [...recorder.exchanges, ...other.exchanges] };
  };
  return [
    withThoseOf(dice.recorder, forgetful.dice),
    withThoseOf(clock.recorder, forgetful.clock),
    withThoseOf(control, broken),
  ];
};
