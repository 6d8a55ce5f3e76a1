import type { AgentBundle, BundleIssue, Generation } from '@amodal/sdk'
import { errorsIn, issueLine } from '@amodal/sdk/files'
import type { FileChange } from '@amodal/plugin-repo-files/tokens'
import { draftOf } from './draft.ts'
import { factLines } from './facts.ts'
import { linesBetween, type Direction, type RightsLine } from './right.ts'
import { namesIn, rightsOf } from './rights-of.ts'
import { EVERYBODY, subjectsOf } from './subjects.ts'

/** Lines that are shown; a person reads no more, and the diff has them all. */
const MOST_LINES = 200

export interface RightsChange {
  readonly direction: Direction
  /** `everybody`, `role accountant`; `the agent` where it does not depend on who asks. */
  readonly subject: string
  readonly text: string
}

/** What a change does to rights. */
export interface RightsReport {
  readonly changes: readonly RightsChange[]
  /** There are more than are listed. */
  readonly truncated: boolean
  /** What would not be read, so that its rights are those of nothing. */
  readonly problems: readonly string[]
  /** Files that carry rights which nothing compares: they are to be read. */
  readonly not_compared: readonly string[]
}

/** Whose effects the guards do not decide by files: what code and automations do by themselves. */
const COMPARED = /^(connections|roles|tools)\/|^amodal\.json$|(^|\/)access\.json$/

/**
 * Compares what everybody may do before and after a change of files.
 *
 * @param carrying the paths of those files that decide over rights, in whichever way
 * @returns `undefined` where there are none
 */
export async function compareRights(
  bundle: AgentBundle,
  files: readonly FileChange[],
  carrying: readonly string[],
  generation: Generation,
): Promise<RightsReport | undefined> {
  if (carrying.length === 0) return undefined
  const [before, after] = await Promise.all([draftOf(bundle), draftOf(bundle, files)])
  const names = namesIn([before, after])
  const subjects = subjectsOf(before.bundle, after.bundle)
  const bySubject = subjects.map(({ name, roles }) => ({
    name,
    lines: linesBetween(
      rightsOf(before, roles, names, generation),
      rightsOf(after, roles, names, generation),
    ),
  }))
  const changes = [
    ...grouped(bySubject),
    ...factLines(before, after).map((line) => ({ subject: 'the agent', ...line })),
  ]
  return {
    changes: changes.slice(0, MOST_LINES),
    truncated: changes.length > MOST_LINES,
    problems: freshErrors(before.bundle, after.bundle),
    not_compared: carrying.filter((path) => !COMPARED.test(path)),
  }
}

/** A line of the report for people and models: `role accountant: may now …`. */
export const lineOf = ({ subject, text }: RightsChange): string =>
  subject === 'the agent' ? text : `${subject}: ${text}`

/** The same line of several is one. */
function grouped(
  bySubject: readonly { readonly name: string; readonly lines: readonly RightsLine[] }[],
): readonly RightsChange[] {
  const lines = new Map<string, RightsLine & { readonly names: string[] }>()
  for (const { lines: own, name } of bySubject)
    for (const line of own) {
      const known = lines.get(line.text) ?? { ...line, names: [] }
      known.names.push(name)
      lines.set(line.text, known)
    }
  return [...lines.values()].map(({ direction, names, text }) => ({
    direction,
    subject: names.length === bySubject.length ? EVERYBODY : names.join(', '),
    text,
  }))
}

function freshErrors(before: AgentBundle, after: AgentBundle): readonly string[] {
  const key = ({ code, file, message }: BundleIssue): string =>
    JSON.stringify([code, file, message])
  const known = new Set(errorsIn(before.issues).map(key))
  return errorsIn(after.issues)
    .filter((issue) => !known.has(key(issue)))
    .map(issueLine)
}
