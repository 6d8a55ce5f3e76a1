import {
  err,
  failure,
  type Failure,
  type JsonObject,
  messageOf,
  ok,
  type Result,
  type TenantId,
  timeLimit,
  tryAsync,
} from '@amodal/sdk'
import type { CheckpointSet } from './checkpoint-set.ts'
import type { Finding } from './finding.ts'
import type { Verdict } from './verdict.ts'
import type { Verifier } from './verifier.ts'
import { ABSENT, verified } from './verify-action.ts'

/** ms for one check: a million lines take about half a minute. */
const VERIFY_MS = 120_000
/** Findings of a kind that are returned; the others are counted. */
const MOST_SHOWN = 100

/** One thing that is wrong, and what to do about it. */
interface Problem {
  readonly text: string
  readonly fix: string
  readonly id?: string
}

/**
 * The check of `amodal ops audit verify` for one tenant.
 *
 * @param isOperator the caller is of no single tenant, so that paths of the server may be named
 */
export async function verifyReport(
  { store, checkpoints, now }: Verifier,
  tenant: TenantId,
  isOperator: boolean,
): Promise<Result<JsonObject, Failure>> {
  const signal = timeLimit(VERIFY_MS, 'verifying the audit log')
  const work = {
    ...{ store, now, signal, tenants: [tenant], only: true },
    checkpoints: () => checkpoints(signal),
  }
  const checked = await tryAsync(() => verified(work), messageOf)
  if (!checked.ok)
    return err(failure('STORE_FAILED', `the audit log cannot be verified: ${checked.error}`))
  const { set, verdicts } = checked.value
  return ok(reportOf(set, verdicts[0], tenant, isOperator))
}

function reportOf(
  set: CheckpointSet,
  verdict: Verdict | undefined,
  tenant: TenantId,
  isOperator: boolean,
): JsonObject {
  const { lines = 0, problems = [], acknowledged = [], notes = [] } = verdict ?? {}
  const all = [...serverProblems(set, isOperator), ...problems.map(problemOf)]
  return {
    ok: all.length === 0,
    lines,
    checkpoints: set.signed.get(tenant)?.size ?? 0,
    problem_count: all.length,
    problems: all.slice(0, MOST_SHOWN).map((problem) => ({ ...problem })),
    acknowledged: acknowledged.slice(0, MOST_SHOWN).map(({ finding, by }) => ({
      text: finding.text,
      by: by.principal,
      at: by.at,
      reason: by.reason,
    })),
    notes: [...(isOperator ? set.notes : []), ...notes],
  }
}

const ABSENT_FIX =
  'put a copy of `.amodal/audit` back. Where this server has never written a line, there is nothing to do'
const FILE_FIX =
  'hold the file against a copy that is kept elsewhere (`amodal ops audit verify --checkpoints PATH`), and put the intact one in its place'
const END_FIX =
  'find out who could write to the database or the checkpoints. If the server was killed, start it and verify once more'

/** What is wrong with the checkpoints of all tenants. */
function serverProblems(set: CheckpointSet, isOperator: boolean): readonly Problem[] {
  const { problems, isAbsent } = set
  const all = [
    ...problems.map((text) => ({ text, fix: FILE_FIX })),
    ...(isAbsent ? [{ text: ABSENT, fix: ABSENT_FIX }] : []),
  ]
  return isOperator || all.length === 0
    ? all
    : [
        {
          text: `the checkpoints of this server have ${all.length} ${all.length === 1 ? 'problem' : 'problems'}`,
          fix: 'ask whoever runs this server to run `amodal ops audit verify`',
        },
      ]
}

const problemOf = ({ text, place }: Finding): Problem =>
  place
    ? {
        text,
        id: place.id,
        fix: `find out who changed it. Once that is known: amodal ops audit acknowledge ${place.id} --principal NAME --reason TEXT`,
      }
    : { text, fix: END_FIX }
