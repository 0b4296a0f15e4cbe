/**
 * Bundles the program that people run, from TypeScript as it stands: of its start, more than a third was finding and reading
 * some 200 files of ours and of fp-ts. All other packages are loaded from where they are installed.
 */
import { chmodSync } from 'node:fs';
import { defineConfig } from 'vite';

/** As deep as `dist/src/`: files of the package are found from there. */
const FOLDER = 'dist/bin';

const PROGRAM = 'airbench.js';

export default defineConfig({
  ssr: { noExternal: ['@bufbuild/protobuf', 'fp-ts', 'io-ts', 'semver'] },
  build: {
    ssr: 'src/cli/airbench.mjs',
    outDir: FOLDER,
    target: 'node20',
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: PROGRAM, chunkFileNames: '[name]-[hash].js' } },
  },
  plugins: [{ name: 'executable', writeBundle: () => chmodSync(`${FOLDER}/${PROGRAM}`, 0o755) }],
});
