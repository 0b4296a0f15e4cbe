#!/usr/bin/env node
import process from 'node:process';
import './supported-node.mjs';

// A program opens files until it has started; afterwards only a connection may lack a descriptor, and is refused.
await import('./main.ts').catch((error) => {
  if (error.code !== 'EMFILE') throw error;
  process.stderr.write(
    'airbench: the limit of open files is too low: raise it, such as by `ulimit -n 1024`\n',
  );
  process.exit(1);
});
