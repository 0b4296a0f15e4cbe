/** The page, built into what the servers serve: files alone, of paths that work under any prefix. */
import { defineConfig } from 'vite';

/** Where `npm run page` finds a rig. */
const to = (port: number) => ({ target: `http://127.0.0.1:${port}`, ws: true, changeOrigin: true });

/** All paths of the control API, none of the files of the page. */
const CONTROL =
  '^/(?:devices|air|faults|adapters|violations|trace|chaos|events|openapi)(?:$|/[^.]*$|\\.json$)';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../../dist/src/page/built',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['table', 'shelf', 'air'].map((place) => `${import.meta.dirname}/${place}.html`),
    },
  },
  server: { proxy: { '/api': to(3000), '/health': to(3000), '/ws': to(3000), [CONTROL]: to(3100) } },
});
