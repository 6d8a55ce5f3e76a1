/** An end that was foreseen: its message is for the person, without a stack trace. */
export class Stopped extends Error {
  /**
   * @param {string} message what went wrong and what to do next; empty where all was said already
   * @param {number} exitCode
   */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
