import { crc32 } from 'node:zlib'

/** The value of a header that is a text. */
const TEXT = 7

/**
 * A frame of `application/vnd.amazon.eventstream`, each character a byte: two lengths with a
 * checksum, headers, the payload, and a checksum of all. Source: "Event stream encoding" in the
 * documentation of Amazon Transcribe, which has it in full.
 *
 * @param headers by name, all of them texts
 */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: string): string {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body = Buffer.from(payload)
  const frame = Buffer.alloc(16 + head.length + body.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(head.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  head.copy(frame, 12)
  body.copy(frame, 12 + head.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
  return frame.toString('latin1')
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  const names = Buffer.from(name)
  return Buffer.concat([Buffer.of(names.length), names, Buffer.of(TEXT), length, bytes])
}
