/** Shorter values occur in many texts as ordinary words, so they are not masked. */
export const SHORTEST = 6
/** Lines of a longer secret, such as a private key, are masked individually from this length on. */
const SHORTEST_LINE = 16

/**
 * Every encoding in which a secret may appear in a text: verbatim, in JSON, in URLs, in base64, in
 * hex.
 */
export function encodingsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/)
  const parts =
    lines.length > 1
      ? [secret, ...lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_LINE)]
      : [secret]
  return [
    ...new Set(
      parts.flatMap((part) => [
        part,
        inJson(part),
        ...inUrls(part),
        ...inBase64(part),
        ...inHex(part),
      ]),
    ),
  ].filter((spelling) => spelling.length >= SHORTEST)
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** With capital or small hex digits; a space as `%20` or, in forms, as `+`. */
function inUrls(text: string): readonly string[] {
  const encoded = encodeURIComponent(text.toWellFormed())
  const small = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [encoded, small, encoded.replaceAll('%20', '+'), small.replaceAll('%20', '+')]
}

function inHex(text: string): readonly string[] {
  const hex = Buffer.from(text).toString('hex')
  return [hex, hex.toUpperCase()]
}

/**
 * Base64 works on groups of three bytes, so a secret inside a longer text (`user:secret`) is
 * encoded in one of three ways, depending on how many bytes precede it. The characters that also
 * encode neighbouring bytes are left out.
 */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const known = whole.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    )
    return [known, known.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
