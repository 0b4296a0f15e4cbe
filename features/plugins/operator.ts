/** Keeps the course of the run for the screen of an operator. */
import type { Plugin } from '@cucumber/cucumber/api';
import { course } from '../actors/course.js';

const plugin: Plugin = {
  type: 'plugin',
  coordinator: ({ on }) => on('message', (envelope) => course.read(envelope)),
};

export default plugin;
