/** Posts to the URL in its argument; a command of the bench file of `index.ts`. */
const url = process.argv[2] ?? '';
const { ok, status } = await fetch(url, { method: 'POST' });
if (!ok) {
  process.stderr.write(`POST ${url} was answered with ${status}\n`);
  process.exitCode = 1;
}
