import { type CommandContext, type Failure, type Result, tenantId } from '@amodal/sdk'
import type { CheckpointSet } from './checkpoint-set.ts'
import type { Finding } from './finding.ts'
import type { Verdict } from './verdict.ts'
import { verifyChain, verifyFile } from './verify.ts'
import { orFail, type Work } from './work.ts'

/** Findings of one chain that are printed; the others are counted. */
const MOST_SHOWN = 20

/** What was found, and the checkpoints that it was held against. */
export interface Verified {
  readonly set: CheckpointSet
  readonly verdicts: readonly Verdict[]
}

/** Checks the chains of all tenants that are asked for, or for which a signed line exists. */
export async function verified({
  store,
  tenants,
  only,
  checkpoints,
  now,
  signal,
}: Pick<Work, 'store' | 'tenants' | 'only' | 'checkpoints' | 'now' | 'signal'>): Promise<Verified> {
  const set = orFail(await checkpoints())
  const verdicts: Verdict[] = []
  const signed = only ? [] : [...set.signed.keys()].map(tenantId)
  for (const tenant of new Set([...tenants, ...signed]))
    verdicts.push(orFail(await verifyChain({ store, checkpoints, now, signal }, tenant, set)))
  return { set, verdicts }
}

/** `amodal ops audit verify`. @returns the exit code */
export const verify = async (work: Work): Promise<number> =>
  report({ ...(await verified(work)), problems: [] }, work)

/** The same for a file of lines. */
export async function verifyLines(
  file: string,
  checkpoints: () => Promise<Result<CheckpointSet, Failure>>,
  output: CommandContext,
): Promise<number> {
  const set = orFail(await checkpoints())
  return report({ set, ...(await verifyFile(file, set)) }, output)
}

/** Said of a folder without checkpoints. */
export const ABSENT =
  "there are no checkpoints of this audit log in the agent's folder: this server has never run, or they were removed. Put back a copy of them: " +
  'without them a truncated log cannot be detected'

/** @returns the exit code */
function report(
  { set, verdicts, problems }: Verified & { readonly problems: readonly string[] },
  output: Pick<Work, 'print' | 'fail'>,
): number {
  const { print, fail } = output
  const absent = set.isAbsent ? [ABSENT] : []
  const general = [...set.problems, ...problems, ...absent]
  for (const problem of general) fail(`✗ ${problem}`)
  for (const note of set.notes) print(`! ${note}`)
  for (const verdict of verdicts) printVerdict(verdict, set, output)
  return general.length === 0 && verdicts.every((one) => one.problems.length === 0) ? 0 : 1
}

function printVerdict(
  { tenant, lines, problems, acknowledged, notes }: Verdict,
  { signed }: CheckpointSet,
  { print, fail }: Pick<Work, 'print' | 'fail'>,
): void {
  for (const problem of problems.slice(0, MOST_SHOWN)) fail(`✗ ${tenant}: ${textOf(problem)}`)
  if (problems.length > MOST_SHOWN)
    fail(`✗ ${tenant}: and ${problems.length - MOST_SHOWN} more findings`)
  for (const { finding, by } of acknowledged)
    print(
      `! ${tenant}: ${textOf(finding)}; acknowledged by ${by.principal} on ${by.at}, in line ${by.n}: ${by.reason}`,
    )
  for (const note of notes) print(`! ${tenant}: ${note}`)
  if (problems.length === 0)
    print(
      `✓ ${tenant}: ${lines} lines, ${signed.get(tenant)?.size ?? 0} checkpoints${acknowledged.length > 0 ? `, ${acknowledged.length} acknowledged` : ''}`,
    )
}

const textOf = ({ text, place }: Finding): string => (place ? `${text} [${place.id}]` : text)
