/**
 * Bundles the program that people run: of its start, more than a third is finding and reading some 200 files of ours and of
 * fp-ts. All other packages are loaded from where they are installed.
 */
import { defineConfig } from 'vite';

export default defineConfig({
  ssr: { noExternal: ['fp-ts', 'io-ts'] },
  build: {
    ssr: 'dist/src/cli/main.js',
    // As deep as `dist/src/`: files of the package are found from there.
    outDir: 'dist/bin',
    target: 'node20',
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'airbench.js', chunkFileNames: '[name]-[hash].js' } },
  },
});
