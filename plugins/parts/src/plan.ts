import { compare } from '@amodal/sdk/files'
import {
  beyond,
  capabilityLines,
  capabilityText,
  NO_CAPABILITIES,
  type Capability,
} from './capability-lists.ts'
import { textOfFile, type Contents } from './contents.ts'
import type { FetchedPackage } from './fetch-package.ts'
import { diff } from './libraries.ts'
import type { LockedPackage } from './locked.ts'

/** What becomes of one package. */
export interface PackageChange {
  readonly name: string
  readonly kind: 'added' | 'updated' | 'removed'
  readonly before?: LockedPackage
  readonly after?: FetchedPackage
  /** What it reaches that nobody has accepted yet. */
  readonly widened: readonly Capability[]
}

/** What differs between the lock and the packages that are to be installed, by name. */
export function changesOf(
  locked: ReadonlyMap<string, LockedPackage>,
  packages: ReadonlyMap<string, FetchedPackage>,
): readonly PackageChange[] {
  const names = [...new Set([...locked.keys(), ...packages.keys()])].toSorted(compare)
  return names.flatMap((name): readonly PackageChange[] => {
    const [before, after] = [locked.get(name), packages.get(name)]
    if (!after) return before ? [{ name, kind: 'removed', before, widened: [] }] : []
    const widened = beyond(after.locked.capabilities, before?.capabilities ?? NO_CAPABILITIES)
    if (!before) return [{ name, kind: 'added', after, widened }]
    const isSame = JSON.stringify(sortedEntry(before)) === JSON.stringify(sortedEntry(after.locked))
    return isSame ? [] : [{ name, kind: 'updated', before, after, widened }]
  })
}

const sortedEntry = (entry: LockedPackage): readonly (readonly [string, unknown])[] =>
  Object.entries(entry).toSorted(([a], [b]) => compare(a, b))

/** Lines that tell a person what a change does. */
export function changeLines(
  change: PackageChange,
  filesBefore: Contents | undefined,
): readonly string[] {
  const { kind, name, before, after } = change
  switch (kind) {
    case 'removed':
      return [`- ${name} ${before?.version ?? ''}`]
    case 'added':
      return after ? addedLines(after) : []
    case 'updated':
      return after && before ? updatedLines(change, before, after, filesBefore) : []
  }
}

function addedLines({ name, locked, manifest, contents }: FetchedPackage): readonly string[] {
  const reaches = capabilityLines(locked.capabilities)
  const scripts = Object.keys(manifest.scripts).filter((script) => INSTALL.has(script))
  const { description, license } = manifest
  return [
    `+ ${name} ${locked.version}, from ${locked.resolved}`,
    ...(description === undefined ? [] : [`    says        ${oneLine(description)}`]),
    `    licence     ${license ?? 'none is named'}`,
    `    integrity   ${locked.integrity}`,
    ...(scripts.length > 0 ? [`    not run     the scripts ${scripts.join(', ')}`] : []),
    ...(reaches.length === 0
      ? ['    It brings texts alone: it reaches nothing by itself.']
      : ['    It', ...reaches.map((line) => `      ${line}`)]),
    `    Files (${contents.length}):`,
    ...contents.map(({ path, bytes }) => `      ${path} (${bytes.byteLength} bytes)`),
  ]
}

const INSTALL: ReadonlySet<string> = new Set(['preinstall', 'install', 'postinstall', 'prepare'])
/** A text of somebody else on one line of a terminal. */
export const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 200)

function updatedLines(
  { name, widened }: PackageChange,
  before: LockedPackage,
  { locked, contents }: FetchedPackage,
  filesBefore: Contents | undefined,
): readonly string[] {
  const narrowed = beyond(before.capabilities, locked.capabilities)
  return [
    `~ ${name} ${before.version} → ${locked.version}, from ${locked.resolved}`,
    ...widened.map((one) => `    + it ${capabilityText(one)}`),
    ...narrowed.map((one) => `    - it ${capabilityText(one)}`),
    ...(filesBefore
      ? fileDiff(filesBefore, contents)
      : ['    The files of before are not here, so that no difference can be shown.']),
  ]
}

const MOST_DIFF_LINES = 400

/** What changes in the files of a package, as a unified diff. */
export function fileDiff(before: Contents, after: Contents): readonly string[] {
  const [old, now] = [byPath(before), byPath(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted(compare)
  const lines = paths.flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    if (was && is && Buffer.from(was.bytes).equals(is.bytes)) return []
    const [text, next] = [was ? textOfFile(was) : '', is ? textOfFile(is) : '']
    if (text === undefined || next === undefined) return [`    ${path}: other bytes`]
    return textDiff(path, text, next)
  })
  return lines.length > MOST_DIFF_LINES
    ? [...lines.slice(0, MOST_DIFF_LINES), `    … ${lines.length - MOST_DIFF_LINES} more lines`]
    : lines
}

/** A unified diff of two texts, indented. */
export const textDiff = (path: string, before: string, after: string): readonly string[] =>
  diff()
    .createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, '', '', { context: 2 })
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => `    ${line.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ')}`)

const byPath = (contents: Contents) => new Map(contents.map((file) => [file.path, file]))
