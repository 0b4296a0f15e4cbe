/** Scripts that run on the page of clocks, and watch or use it. */
import { texts } from '../../src/page/clocks/texts.js';

/** Records the sounds that the page plays. */
export const RECORD_SOUNDS = `
  window.played = [];
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function () {
    if (this.context instanceof AudioContext) {
      const { sampleRate, duration, numberOfChannels } = this.buffer;
      const values = [...this.buffer.getChannelData(0)];
      const steps = values.every((value) => Number.isInteger(value * 128));
      window.played.push({ sampleRate, duration, numberOfChannels, steps, loud: Math.max(...values) > 0.4 });
    }
    return start.call(this);
  };`;

/** Records the progress of an upload on the page, per cent. */
export const RECORD_PROGRESS = `
  window.progress = [];
  new MutationObserver(() => {
    const bar = document.querySelector('progress');
    if (bar !== null) window.progress.push(bar.value);
  }).observe(document.body, { subtree: true, childList: true, attributes: true });`;

/** Promises the labels of the button that plays a tone: the present one and the next two. Other parts of the page change meanwhile. */
export const RECORD_LABELS = `
  window.labels = new Promise((resolve) => {
    const label = () =>
      [...document.querySelectorAll('button')]
        .map(({ textContent }) => textContent)
        .find((text) => text === '${texts.listen}' || text === '${texts.stop}');
    const seen = [label()];
    new MutationObserver(() => {
      if (label() !== seen.at(-1)) seen.push(label());
      if (seen.length === 3) resolve(seen);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  undefined`;

/** Moves the slider of the brightness in steps from one end to the other, and counts its messages to the server. */
export const SLIDE = `
  window.sent = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (text.includes('set_brightness')) window.sent++;
    send.call(this, text);
  };
  const slider = document.querySelector('.slider input');
  for (let value = 0; value <= 150; value += 10) {
    slider.value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }`;
