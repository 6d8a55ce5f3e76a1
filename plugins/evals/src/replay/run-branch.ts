import { ok, type Failure, type Result } from '@amodal/sdk'
import { newSessionId } from '@amodal/sdk/loop'
import type { FileChange } from '../change/file-changes.ts'
import { BaselineCourse, type Baseline } from './baseline.ts'
import { BranchCourse, type Leaving } from './branch.ts'
import { branchesOf, costOf } from './branch-steps.ts'
import type { ChangeReport, Divergence } from './change-report.ts'
import { firstDifference } from './compare.ts'
import type { Overlay } from './overlay.ts'
import { ofKind, type Recording } from './recording.ts'
import { Replay } from './replay.ts'
import { playThrough, replayTenant, sizeOf, type ReplayParts } from './run-replay.ts'
import { sourceLine } from './source-line.ts'

/** Steps that a changed agent may take beyond the record. */
export const STEPS = 20

/** What is replayed with a changed agent. */
export interface BranchRequest {
  readonly baseline: Baseline
  /** Files that differ, to name lines of them. */
  readonly files: readonly FileChange[]
  /** How the agent is changed where it is the one that serves. */
  readonly overlay?: Overlay
  /** Steps beyond the record; 20 where it is left out. */
  readonly steps?: number
}

/** Replays a conversation with the unchanged agent, and notes what its model is sent. */
export async function baselineOf(
  parts: ReplayParts,
  recording: Recording,
  signal: AbortSignal,
): Promise<Result<Baseline, Failure>> {
  const replay = new Replay(replayTenant(), recording)
  const course = new BaselineCourse(replay.recordedIds)
  replay.course = course
  const session = newSessionId()
  const replayed = await playThrough(parts, replay, session, signal)
  if (!replayed.ok) return replayed
  const { calls, reads, requests } = course
  const { problems, tenant } = replay
  return ok({
    recording,
    tenant,
    session,
    requests,
    calls,
    reads,
    replayed: replayed.value,
    problems,
  })
}

/**
 * Replays a conversation with a changed agent: the record answers until a request differs from that
 * of the unchanged one, and the model itself from there.
 *
 * @param ownerOf the plugin that a tool is of
 */
export async function runBranch(
  parts: ReplayParts & { readonly ownerOf: (tool: string) => string | undefined },
  { baseline, files, overlay, steps = STEPS }: BranchRequest,
  signal: AbortSignal,
): Promise<Result<ChangeReport, Failure>> {
  const { recording, session, tenant } = baseline
  const replay = new Replay(tenant, recording)
  const course = new BranchCourse(baseline, steps, replay.recordedIds)
  replay.course = course
  replay.overlay = overlay
  const replayed = await playThrough(parts, replay, session, signal)
  if (!replayed.ok) return replayed
  const [leaving] = course.leavings
  const journal = leaving ? undefined : firstDifference(baseline.replayed, replayed.value)
  const drift = firstDifference(recording, baseline.replayed)
  const cost = costOf(replayed.value, course.leavings)
  return ok({
    session: recording.session,
    entries: sizeOf(recording),
    ...(leaving && { divergence: divergenceOf(leaving, files, parts.ownerOf) }),
    ...(journal && { journal }),
    branches: branchesOf(replayed.value, course),
    modelCalls: course.modelCalls,
    ...(cost !== undefined && { cost }),
    refused: [...course.answered.values()].filter((by) => by === 'refused').length,
    ...(course.stopped !== undefined && { stopped: course.stopped }),
    problems: [...new Set([...baseline.problems, ...replay.problems])],
    ...(drift && { drift }),
  })
}

function divergenceOf(
  { difference, index, playback }: Leaving,
  files: readonly FileChange[],
  ownerOf: (tool: string) => string | undefined,
): Divergence {
  const { part, section, text, tool, what } = difference
  const reply = playback && ofKind(playback.recording.entries, 'model_reply')[index]
  const likely =
    part === 'model' || part === 'settings'
      ? ['amodal.json']
      : (section?.parts ?? []).flatMap(({ file }) => file ?? [])
  const place = part === 'request' ? undefined : sourceLine(text, files, likely)
  const plugin = section?.plugin ?? (tool === undefined ? undefined : ownerOf(tool))
  return {
    agents: playback?.recording.agents ?? [],
    step: index + 1,
    ...(reply && { seq: reply.seq }),
    part,
    what,
    ...(plugin !== undefined && { plugin }),
    ...(text && { offset: text.offset, word: text.word, excerpt: text.excerpt }),
    ...place,
  }
}
