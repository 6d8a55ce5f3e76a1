/** A server sent more at once than is kept. */
export class TooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`it sent more than ${maxBytes} bytes at once`)
    this.name = 'TooLargeError'
  }
}
