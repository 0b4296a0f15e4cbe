import { describeWalks, withStrap } from './walks.js';

describeWalks('The walks of the documents that compile TypeScript', [
  { page: 'docs/api-docs.md', heading: '## A client' },
  { page: 'docs/extending.md', heading: '### In a folder of its own', prepare: withStrap },
]);
