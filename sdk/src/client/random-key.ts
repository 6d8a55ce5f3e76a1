/**
 * A random key of 128 bits, such as for `Idempotency-Key`. Pages without TLS have no
 * `crypto.randomUUID`.
 */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
