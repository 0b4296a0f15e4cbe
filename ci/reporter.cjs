/** Mocha's reporters for people and for programs at once; `--reporter-option output=FILE` is the file of the latter. */
const { Base, JSON: Results, Spec } = require('mocha').reporters;

module.exports = class extends Base {
  constructor(runner, options) {
    super(runner, options);
    this.reporters = [new Spec(runner, options), new Results(runner, options)];
  }
};
