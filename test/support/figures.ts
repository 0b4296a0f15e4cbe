/** The figures of a server's `/metrics`. */
import { expect } from 'chai';

export const metricsText = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
};

/** The key is name and labels as written: `airbench_events_total{kind="Tap"}`. */
export const figuresOf = async (port: number): Promise<Readonly<Record<string, number>>> => {
  const lines = (await metricsText(port)).split('\n').filter((line) => /^[^#]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
};
