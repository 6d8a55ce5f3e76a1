import { err, ok, type Result } from '@amodal/kernel'

const UTF16 = 'the file is UTF-16, and UTF-8 is needed'

/**
 * The text of a file that a person wrote: UTF-8 without its mark and with plain line ends, so that
 * an editor's habits change nothing.
 *
 * @returns or why it is no text; what to do then is always to save it as UTF-8
 * @example
 * const text = textOf(await readFile(file))
 */
export function textOf(bytes: Uint8Array): Result<string, string> {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return err(UTF16)
  if (bytes.includes(0)) return err(isUtf16(bytes) ? UTF16 : 'the file is not text')
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n'))
  } catch {
    return err('the file is not UTF-8 text')
  }
}

/** Of Latin letters every second byte is zero, where the file has no mark. */
function isUtf16(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 64)
  const zeros = [...start].filter((byte) => byte === 0).length
  return start.length >= 4 && zeros * 2 >= start.length - 1
}
