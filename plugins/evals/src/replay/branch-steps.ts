import { isObject, trySync, type Json, type SessionId } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { spentIn } from '@amodal/sdk/loop'
import type { BranchCourse, Leaving } from './branch.ts'
import type { Branch, Step, StepCall } from './change-report.ts'
import { callKey } from './course.ts'
import { ofKind, type Recording } from './recording.ts'

const BILLION = 1_000_000_000

/** Each session that left the record, next to what is recorded from there. */
export function branchesOf(
  replayed: Recording,
  { answered, leavings }: Pick<BranchCourse, 'answered' | 'leavings'>,
): readonly Branch[] {
  return leavings.map(({ index, playback, session }) => {
    const own = sessionIn(replayed, session)
    return {
      agents: own?.agents ?? playback?.recording.agents ?? [],
      from: index + 1,
      recorded: playback ? stepsOf(playback.recording, index, () => undefined) : [],
      replayed: own
        ? stepsOf(own, index, (call, isDispatch) =>
            isDispatch ? 'agent' : (answered.get(callKey(session, call.id)) ?? 'guard'),
          )
        : [],
    }
  })
}

/**
 * Dollars that the model itself has cost, summaries included.
 *
 * @returns `undefined` where a price is not known
 */
export function costOf(replayed: Recording, leavings: readonly Leaving[]): number | undefined {
  let cost = 0
  for (const { index, session } of leavings) {
    const entries = sessionIn(replayed, session)?.entries ?? []
    const replies = entries.filter(({ kind }) => kind === 'model_reply')
    const last = index === 0 ? 0 : (replies[index - 1]?.seq ?? 0)
    for (const entry of entries) {
      const spent = entry.seq > last ? spentIn(entry) : undefined
      if (spent && spent.cost === undefined) return undefined
      cost += spent?.cost ?? 0
    }
  }
  return cost / BILLION
}

function sessionIn(recording: Recording, session: SessionId): Recording | undefined {
  if (recording.session === session) return recording
  for (const child of recording.children) {
    const found = sessionIn(child.recording, session)
    if (found) return found
  }
  return undefined
}

type ReplyCalls = ReturnType<typeof ofKind<'model_reply'>>[number]['calls']

function stepsOf(
  { entries }: Recording,
  index: number,
  answeredBy: (call: ReplyCalls[number], isDispatch: boolean) => StepCall['by'],
): readonly Step[] {
  const dispatched = new Set(ofKind(entries, 'child_opened').map(({ call }) => call))
  return ofKind(entries, 'model_reply')
    .slice(index)
    .map(({ calls, text }, at) => ({
      step: index + at + 1,
      text,
      calls: calls.map((call): StepCall => {
        const by = answeredBy(call, dispatched.has(call.id))
        return { name: call.name, args: argsIn(call.input), ...(by && { by }) }
      }),
    }))
}

function argsIn(input: string): Json {
  const read = trySync(
    () => parseExact(input) as Json, // a reply's input is JSON
    () => undefined,
  )
  return read.ok && isObject(read.value) ? read.value : input
}
