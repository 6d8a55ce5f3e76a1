import { isId, principalId, type TenantId } from '@amodal/sdk'
import { isPlaced, type PlacedFinding } from './finding.ts'
import type { Verdict } from './verdict.ts'
import { verified } from './verify-action.ts'
import type { Work } from './work.ts'

const MOST_REASON = 1_000
/** The reason is printed on the terminal of the person who runs `verify`. */
const CONTROL = /\p{Cc}/u

export interface AcknowledgeOptions {
  readonly id: string | undefined
  readonly reason: string | undefined
  readonly principal: string | undefined
}

/** What is wrong with the command line; `undefined` for one that can be run. */
export function acknowledgeProblem({
  id,
  reason = '',
  principal = '',
}: AcknowledgeOptions): string | undefined {
  if (id === undefined)
    return 'say which finding: amodal ops audit acknowledge ID, with the ID that verify prints behind it'
  if (reason.trim() === '' || reason.length > MOST_REASON || CONTROL.test(reason))
    return `say why in one line of at most ${MOST_REASON} characters: --reason TEXT`
  if (!isId(principal))
    return 'say who acknowledges it, as `ops audit show` names them: --principal NAME'
  return undefined
}

/** `amodal ops audit acknowledge ID`. @returns the exit code */
export async function acknowledge(
  work: Work,
  { id = '', reason = '', principal = '' }: AcknowledgeOptions,
): Promise<number> {
  const { acknowledgements, print, fail, signal } = work
  const { set, verdicts } = await verified(work)
  // Creating a new key here would hide that the key that signed the log is gone.
  if (set.isAbsent) {
    fail(
      "NOT_FOUND: there are no checkpoints in the agent's folder to acknowledge anything by: restore a copy of them",
    )
    return 1
  }
  const known = verdicts
    .flatMap(({ acknowledged }) => acknowledged)
    .find(({ finding }) => finding.place?.id === id)
  if (known) {
    print(`line ${known.by.n} acknowledges this finding already: ${known.finding.text} [${id}]`)
    return 0
  }
  const open = openFinding(verdicts, id)
  if (!open || !acknowledgements) {
    fail(
      `NOT_FOUND: there is no finding ${id}, or it has changed: see \`amodal ops audit verify\`. What is wrong with the end of a chain, or with a file of checkpoints, has no ID and cannot be acknowledged`,
    )
    return 1
  }
  const { tenant, finding } = open
  const added = await acknowledgements.add(
    finding,
    { tenant, principal: principalId(principal), reason: reason.trim() },
    set.signers,
    signal,
  )
  if (!added.ok) {
    fail(`${added.error.code}: ${added.error.message}`)
    return 1
  }
  print(`✓ ${tenant}: acknowledged: ${finding.text} [${id}]`)
  return 0
}

function openFinding(
  verdicts: readonly Verdict[],
  id: string,
): { readonly tenant: TenantId; readonly finding: PlacedFinding } | undefined {
  for (const { tenant, problems } of verdicts) {
    const finding = problems.filter(isPlaced).find(({ place }) => place.id === id)
    if (finding) return { tenant, finding }
  }
  return undefined
}
