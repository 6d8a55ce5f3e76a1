import { PROTECTED_TAGS } from '../git/git-settings.ts'
import { banded, FLUSH, packet } from './packet-lines.ts'
import type { PushHead, RefCommand } from './push-head.ts'

/** Refs that one push may change. */
const MAX_COMMANDS = 500
/** Characters of the name of a ref. */
const MAX_NAME = 200

/** What is wrong with a push, by ref. */
export type Refusals = ReadonlyMap<string, string>

/** @param free branches and tags that may still be created */
export function refusalsOf({ commands }: Pick<PushHead, 'commands'>, free: number): Refusals {
  const refused = new Map<string, string>()
  const created = commands.filter(({ kind }) => kind === 'create').length
  const deleted = commands.filter(({ kind }) => kind === 'delete').length
  for (const { ref, kind } of commands) {
    const problem = problemOf(ref)
    if (problem !== undefined) refused.set(ref, problem)
    else if (commands.length > MAX_COMMANDS)
      refused.set(ref, `one push changes ${MAX_COMMANDS} refs at most`)
    else if (kind === 'create' && created - deleted > free)
      refused.set(ref, 'the repository has as many branches and tags as it may have')
  }
  return refused
}

function problemOf(ref: string): string | undefined {
  if (!/^refs\/(?:heads|tags)\/./.test(ref)) return 'only branches and tags can be pushed'
  if (ref.length > MAX_NAME) return `its name is longer than ${MAX_NAME} characters`
  return isProtected(ref) ? 'a protected tag: only publishing a tool creates it' : undefined
}

/** Also where the file system does not tell letters by their case. */
const isProtected = (ref: string): boolean => {
  const name = ref.toLowerCase()
  return name === PROTECTED_TAGS || name.startsWith(`${PROTECTED_TAGS}/`)
}

/**
 * The report of a push that is refused, as git shows it to a person. One refused ref refuses the
 * whole push: nothing of it is stored.
 */
export function refusedReport({ commands, capabilities }: PushHead, refusals: Refusals): Buffer {
  if (!['report-status', 'report-status-v2'].some((name) => capabilities.has(name)))
    return Buffer.alloc(0)
  const line = ({ ref }: RefCommand): Buffer =>
    packet(`ng ${ref} ${refusals.get(ref) ?? 'another ref of this push is refused'}\n`)
  const report = Buffer.concat([packet('unpack ok\n'), ...commands.map(line), Buffer.from(FLUSH)])
  return capabilities.has('side-band-64k')
    ? Buffer.concat([banded(report), Buffer.from(FLUSH)])
    : report
}
