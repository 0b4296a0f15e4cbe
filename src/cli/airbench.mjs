#!/usr/bin/env node
import process from 'node:process';
import './supported-node.mjs';

// Files are opened until a program has started; afterwards a descriptor is one of a connection, which is refused.
await import('./main.ts').catch((error) => {
  if (error.code !== 'EMFILE') throw error;
  process.stderr.write(
    'airbench: it may not open enough files: raise the limit, such as by `ulimit -n 1024`\n',
  );
  process.exit(1);
});
