import { expect } from 'chai';
import { describe, it } from 'mocha';
import { humidityIn, temperatureIn } from '../../src/page/clocks/texts.js';

describe('Readings in words', () => {
  const readings = [
    [23.45, '23.5 °C', '74.2 °F'],
    [23.44, '23.4 °C', '74.2 °F'],
    [1.005, '1.0 °C', '33.8 °F'],
    [0.25, '0.3 °C', '32.5 °F'],
    [-0.04, '0.0 °C', '31.9 °F'],
    [-12.35, '-12.4 °C', '9.8 °F'],
  ] as const;
  for (const [celsius, inCelsius, inFahrenheit] of readings) {
    it(`round ${celsius} °C to ${inCelsius} and ${inFahrenheit}`, () => {
      expect([temperatureIn('C', celsius), temperatureIn('F', celsius)]).to.deep.equal([
        inCelsius,
        inFahrenheit,
      ]);
    });
  }

  it('round half a per cent of humidity up', () => {
    expect([50.5, 50.45, 0.5, 99.5].map(humidityIn)).to.deep.equal(['51 %', '50 %', '1 %', '100 %']);
  });
});
