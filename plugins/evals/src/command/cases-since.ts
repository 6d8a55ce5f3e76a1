import { readFile } from 'node:fs/promises'
import { err, ok, type AgentBundle, type CommandContext, type Result } from '@amodal/sdk'
import { suitesOf } from '../definition.ts'
import { readBaseline } from '../report/baseline.ts'
import type { RunStore } from '../results/result.ts'
import { changedFiles } from '../run/changed-files.ts'
import { caseName, touchedCases, type UsedNames } from '../run/touched-cases.ts'
import { usedNames } from '../run/used-names.ts'

/** Stored runs that are looked at for what a case used. */
const RUNS = 50

interface Since {
  readonly bundle: AgentBundle
  /** A commit, branch or tag. */
  readonly ref: string
  readonly store: RunStore
  /** Its file, whether it is there or not. */
  readonly baseline: string
}

/** The cases that changes since a commit touch, after a line that says so. */
export async function casesSince(
  { fail, dir, signal }: Pick<CommandContext, 'fail' | 'dir' | 'signal'>,
  { baseline, bundle, ref, store }: Since,
): Promise<Result<readonly string[], string>> {
  const files = await changedFiles(bundle.root ?? dir, ref, signal)
  if (!files.ok) return err(`--changed ${ref}: ${files.error}`)
  const suites = suitesOf(bundle)
  // A stored run is newer than the baseline, or of the same results.
  const used: UsedNames = new Map([
    ...(await namesOfBaseline(baseline)),
    ...usedNames(await store.list(RUNS)),
  ])
  const { cases, everything } = touchedCases(files.value, suites, used)
  const all = suites.reduce((sum, suite) => sum + suite.cases.length, 0)
  fail(
    everything === undefined
      ? `Changes since ${ref} touch ${cases.length} of ${all} cases.`
      : `${everything} has changed since ${ref}, which all ${all} cases depend on.`,
  )
  return ok(cases)
}

async function namesOfBaseline(file: string): Promise<UsedNames> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const read = text === undefined ? undefined : readBaseline(text)
  if (!read?.ok) return new Map()
  return new Map(
    read.value.flatMap(({ case: name, suite, uses }) =>
      uses ? [[caseName(suite, { name }), new Set(uses)] as const] : [],
    ),
  )
}
