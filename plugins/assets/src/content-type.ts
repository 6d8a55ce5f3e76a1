import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { isTextType, isTypeOf } from '@amodal/sdk/loop'
import { audioContainer } from './audio-container.ts'
import { AssetTypeRefused } from './errors.ts'

/** Other names that senders use for a type. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'text/json': 'application/json',
  'text/xml': 'application/xml',
  'text/yaml': 'application/yaml',
  'application/x-yaml': 'application/yaml',
  'text/x-markdown': 'text/markdown',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
}

/** What senders declare when they do not know the type. */
const UNKNOWN: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
])

/** A type in its common spelling, without parameters. */
export function plainType(declared: string): string {
  const [type = ''] = declared.split(';', 1)
  const plain = type.trim().toLowerCase()
  return ALIASES[plain] ?? plain
}

/**
 * The type of a file by its bytes. A declared type is never believed: it only chooses among the
 * types of text, and a file whose bytes contradict it is refused.
 *
 * @param declared by the sender; empty where it is not known
 * @param types that are accepted, such as `image/*`
 * @returns the type, or `ASSET_TYPE_REFUSED`
 */
export async function contentType(
  bytes: Uint8Array,
  declared: string,
  types: readonly string[],
): Promise<Result<string, Failure>> {
  const expected = plainType(declared)
  const found = await typeOf(bytes, expected)
  if (found === undefined)
    return err(
      AssetTypeRefused(`the file is neither text nor of a known type${declaredText(expected)}`),
    )
  if (!UNKNOWN.has(expected) && expected !== found)
    return err(AssetTypeRefused(`the file is ${found}${declaredText(expected)}`))
  return isTypeOf(found, types)
    ? ok(found)
    : err(AssetTypeRefused(`files of the type ${found} are not taken, only ${types.join(', ')}`))
}

const declaredText = (type: string): string =>
  UNKNOWN.has(type) ? '' : `, and was declared as ${type}`

async function typeOf(bytes: Uint8Array, declared: string): Promise<string | undefined> {
  // Loaded with the first file: most starts never see one.
  const { fileTypeFromBuffer } = await import('file-type')
  const magic = await fileTypeFromBuffer(bytes)
  const found = magic && audioContainer(bytes, plainType(magic.mime))
  // XML begins with words, which `file-type` reads as it reads other first bytes.
  if (found !== undefined && found !== 'application/xml') return found
  if (!isText(bytes)) return found
  if (isTextType(declared) || declared === 'image/svg+xml') return declared
  return found ?? 'text/plain'
}

/** Control characters that no text has. */
const CONTROL = /[^\P{Cc}\t\n\v\f\r\x1b\x7f-\x9f]/u

function isText(bytes: Uint8Array): boolean {
  try {
    return !CONTROL.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return false
  }
}
