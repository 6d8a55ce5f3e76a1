/** Packet lines, in which git's protocol frames its messages. */

export const FLUSH = '0000'
/** Bytes of data in one packet of the side band, with room for its header. */
const BAND_BYTES = 65_000

/** One packet with a text. */
export const packet = (text: string): Buffer => {
  const data = Buffer.from(text)
  return Buffer.concat([Buffer.from((data.byteLength + 4).toString(16).padStart(4, '0')), data])
}

/** Data as packets of the first side band. */
export function banded(data: Buffer): Buffer {
  const packets: Buffer[] = []
  for (let at = 0; at < data.byteLength; at += BAND_BYTES) {
    const part = data.subarray(at, at + BAND_BYTES)
    const length = (part.byteLength + 5).toString(16).padStart(4, '0')
    packets.push(Buffer.from(length), Buffer.from([1]), part)
  }
  return Buffer.concat(packets)
}
