/** Makes one page of all pictures and figures of the tests; with a file as argument, also the picture of README. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { escaped } from '../../src/html/index.js';
import { README_PICTURE, REPORT } from './visit.js';

// The folder is missing after tests without a browser.
mkdirSync(REPORT, { recursive: true });
const pictures = readdirSync(REPORT).filter((file) => file.endsWith('.png'));

const pictureOf = (file: string): string => {
  const name = escaped(basename(file, '.png'));
  return `<figure><a href="${name}.png"><img src="${name}.png" alt="${name}" loading="lazy"></a><figcaption>${name}</figcaption></figure>`;
};

const figures = join(REPORT, 'figures.json');
const measured = existsSync(figures) ? escaped(readFileSync(figures, 'utf8')) : 'None were measured.';

writeFileSync(
  join(REPORT, 'index.html'),
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The page in all its states – airbench</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 24px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 24px; }
figure { margin: 0; }
img { width: 100%; max-height: 360px; border: 1px solid #8888; border-radius: 8px; object-fit: cover; object-position: top; }
</style>
<h1>The page in all its states</h1>
<p>Twenty dice that roll at once, as the browser recorded it:</p>
<pre>${measured}</pre>
<main>
${pictures.sort().map(pictureOf).join('\n')}
</main>
`,
);

const [readme] = process.argv.slice(2);
if (readme !== undefined) copyFileSync(join(REPORT, `${README_PICTURE}.png`), readme);
