/**
 * Makes an undefined step a failed one whose message names similar steps, in place of Cucumber's snippet of JavaScript. It
 * changes the messages in place: all formatters receive the same objects, after the plugins.
 */
import { Status } from '@cucumber/cucumber';
import type { Plugin } from '@cucumber/cucumber/api';
import { undefinedStep } from '../report/similar-steps.js';
import { readable } from '../report/steps.js';

const plugin: Plugin = {
  type: 'plugin',
  coordinator: ({ on }) => {
    const patterns: string[] = [];
    const textsOfPickles = new Map<string, string>();
    const texts = new Map<string, string>();
    on('message', ({ stepDefinition, pickle, testCase, suggestion, testStepFinished }) => {
      if (stepDefinition !== undefined) {
        const { source, type } = stepDefinition.pattern;
        patterns.push(readable(source, type));
      }
      for (const { id, text } of pickle?.steps ?? []) textsOfPickles.set(id, text);
      for (const { id, pickleStepId = '' } of testCase?.testSteps ?? [])
        texts.set(id, textsOfPickles.get(pickleStepId) ?? '');
      if (suggestion !== undefined) Object.assign(suggestion, { snippets: [] });
      const result = testStepFinished?.testStepResult;
      if (result?.status !== Status.UNDEFINED) return;
      result.status = Status.FAILED;
      result.message = undefinedStep(texts.get(testStepFinished?.testStepId ?? '') ?? '', patterns);
    });
  },
};

export default plugin;
