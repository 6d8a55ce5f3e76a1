import { posix } from 'node:path'
import { ok, type AgentBundle } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import type { ParsedDocument } from './parsed-document.ts'
import { readInside } from './read-inside.ts'
import { filesIn, lineOf, type DocumentFiles } from './references.ts'

/** Files of one document; what is beyond them is missing. */
const MOST_FILES = 500

export interface MissingReference {
  readonly reference: string
  readonly file: string
  readonly line: number
}

/**
 * The texts of the files that a document refers to, and those that they refer to, inside of the
 * agent's folder.
 *
 * @param path of the document, from that folder
 */
export async function filesBeside(
  path: string,
  text: string,
  bundle: AgentBundle,
  maxBytes: number,
): Promise<DocumentFiles> {
  const found: Record<string, string> = {}
  const seen = new Set<string>()
  let remainingBytes = maxBytes
  const waiting = [...filesIn(text)]
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const full = posix.normalize(posix.join(posix.dirname(path), file))
    if (seen.has(file) || seen.size >= MOST_FILES || remainingBytes <= 0 || full.startsWith('..'))
      continue
    seen.add(file)
    const given = bundle.files.find((one) => one.path === full)?.text
    const read =
      given === undefined ? await readInside(bundle.root, full, remainingBytes) : ok(given)
    if (!read?.ok) continue
    found[file] = read.value
    remainingBytes -= read.value.length
    waiting.push(...filesIn(read.value, file))
  }
  return found
}

/** Where the references stand that lead nowhere. */
export function missingIn(
  { missing = [] }: ParsedDocument,
  path: string,
  texts: DocumentFiles,
): readonly MissingReference[] {
  return missing.map((reference) => {
    const name = posix.basename(reference.split('#', 1)[0] ?? '')
    const holder = Object.entries(texts).find(([, text]) => text.includes(name)) ?? ['', '']
    const file = posix.normalize(posix.join(posix.dirname(path), holder[0] || posix.basename(path)))
    return { reference, file, line: lineOf(holder[1] || (texts[''] ?? ''), reference) }
  })
}

/** Says of each that what it describes is left out. */
export function warnOfMissing(
  connection: string,
  missing: readonly MissingReference[],
  issues: Issues,
): void {
  for (const { reference, file, line } of missing)
    issues.warn(
      'BAD_REPO',
      `the API document of "${connection}" refers to ${reference.replace(/^#/, 'its own #')}, which is not there: what it describes is left out`,
      {
        file,
        line,
        fix: 'put the file into the folder of the connection, or correct the reference',
      },
    )
}
