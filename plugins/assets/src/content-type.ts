import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { isTextType, isTypeOf } from '@amodal/sdk/loop'
import { AssetTypeRefused } from './errors.ts'

/** Other names that senders have for a type. */
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
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
}

/** What a sender says where they do not know. */
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
 * What a file is by its bytes. What somebody says of it is never believed: it only chooses among
 * the types of text, and where it contradicts the bytes the file is refused.
 *
 * @param types that are taken
 */
export async function contentType(
  bytes: Uint8Array,
  declared: string,
  types: readonly string[],
): Promise<Result<string, Failure>> {
  const said = plainType(declared)
  const found = await typeOf(bytes, said)
  if (found === undefined)
    return err(
      AssetTypeRefused(`the file is neither text nor of a known type${declaredText(said)}`),
    )
  if (!UNKNOWN.has(said) && said !== found)
    return err(AssetTypeRefused(`the file is ${found}${declaredText(said)}`))
  return isTypeOf(found, types)
    ? ok(found)
    : err(AssetTypeRefused(`files of the type ${found} are not taken, only ${types.join(', ')}`))
}

const declaredText = (type: string): string =>
  UNKNOWN.has(type) ? '' : `, and was declared as ${type}`

async function typeOf(bytes: Uint8Array, said: string): Promise<string | undefined> {
  // Loaded with the first file: most starts never see one.
  const { fileTypeFromBuffer } = await import('file-type')
  const magic = await fileTypeFromBuffer(bytes)
  const found = magic && plainType(magic.mime)
  // XML begins with words that are looked for as others look for bytes.
  if (found !== undefined && found !== 'application/xml') return found
  if (!isText(bytes)) return found
  if (isTextType(said) || said === 'image/svg+xml') return said
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
