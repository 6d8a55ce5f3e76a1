import { posix } from 'node:path'
import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { parseText } from './parse-text.ts'
import type { Resolve } from './schema-text.ts'

/** Texts of the files that a document refers to, by their paths from its folder. */
export type DocumentFiles = Readonly<Record<string, string>>

const REFERENCE = /["']?\$ref["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'#,}\]][^\s,}\]]*))/g
const IS_ADDRESS = /^[a-z][a-z\d+.-]*:/i
const MOST_STEPS = 20

/** The files that a text refers to, by their paths from the folder of the document. */
export function filesIn(text: string, from = ''): readonly string[] {
  const found = [...text.matchAll(REFERENCE)].flatMap(([, double, single, bare]) => {
    const [file = ''] = (double ?? single ?? bare ?? '').split('#', 1)
    return file === '' || IS_ADDRESS.test(file) ? [] : [pathOf(file, from)]
  })
  return [...new Set(found)]
}

/** The line (from 1) in which a text has a reference, and 1 where it is not found. */
export function lineOf(text: string, reference: string): number {
  const [file = '', pointer = ''] = reference.split('#')
  const name = posix.basename(file)
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.includes(`${name}#${pointer}`))
  return (at === -1 ? lines.findIndex((line) => line.includes(name)) : at) + 1 || 1
}

/**
 * Follows references inside a document and into the files beside it; each is looked up once.
 *
 * @param missing gets references that lead nowhere
 */
export function resolver(
  document: JsonObject,
  files: DocumentFiles,
  missing: Set<string>,
): Resolve {
  const known = new Map<string, JsonObject | undefined>()
  const parsed = new Map<string, Json | undefined>([['', document]])
  const documentAt = (file: string): Json | undefined => {
    if (!parsed.has(file)) {
      const text = files[file]
      const read = text === undefined ? undefined : parseText(text)
      parsed.set(file, read?.ok ? withOwnReferences(read.value, file) : undefined)
    }
    return parsed.get(file)
  }
  const find = (reference: string): JsonObject | undefined => {
    const [file = '', pointer = ''] = reference.split('#')
    let at = documentAt(file)
    for (const step of pointer.split('/').slice(1)) {
      const name = decodePointer(step)
      if (isList(at)) at = at[Number(name)]
      else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
    }
    if (!isObject(at)) missing.add(reference)
    return isObject(at) ? at : undefined
  }
  return function resolve(value) {
    let at = isObject(value) ? value : undefined
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const ref: Json | undefined = at?.['$ref']
      if (typeof ref !== 'string') return at
      const reference = referenceFrom(ref, '')
      if (!known.has(reference)) known.set(reference, find(reference))
      at = known.get(reference)
    }
    return undefined
  }
}

/** A file whose references are as if they stood in the document itself. */
function withOwnReferences(value: Json, file: string): Json {
  if (isList(value)) return value.map((one) => withOwnReferences(one, file))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === '$ref' && typeof one === 'string'
        ? referenceFrom(one, file)
        : withOwnReferences(one, file),
    ]),
  )
}

/** `file#/pointer` from the folder of the document; no file where it is the document itself. */
function referenceFrom(reference: string, from: string): string {
  const [file = '', pointer = ''] = reference.split('#')
  if (IS_ADDRESS.test(file)) return `${file}#${pointer}`
  return `${file === '' ? from : pathOf(file, from)}#${pointer}`
}

const pathOf = (file: string, from: string): string =>
  posix.normalize(posix.join(posix.dirname(from), decoded(file)))

/** RFC 6901. */
const decodePointer = (step: string): string =>
  decoded(step.replaceAll('~1', '/').replaceAll('~0', '~'))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
