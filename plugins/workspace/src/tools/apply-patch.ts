import {
  err,
  ok,
  type AsyncResult,
  type Failure,
  type Result,
  type ToolDefinition,
} from '@amodal/sdk'
import { z } from 'zod'
import { WorkspaceEditRefused, WorkspaceFileRefused } from '../errors.ts'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'
import type { Workspaces } from '../session/workspace.ts'
import { fileTool } from './file-tool.ts'
import { patched, readPatch, type FileChange } from './patch.ts'
import { decoded, encoded, FILE_BYTES } from './text.ts'

/** Changes several files, or none of them. */
export const applyPatchTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'apply_patch',
    description:
      'Applies a unified diff to the workspace: it may change, create (`--- /dev/null`), remove (`+++ /dev/null`) and rename several files. All of it is applied, or nothing.',
    readOnly: false,
    runningLabel: 'Applying a patch',
    completedLabel: 'Applied a patch',
    input: z.object({ patch: z.string().min(1).max(2_000_000).describe('A unified diff') }),
    work: async ({ patch }, { files }) => {
      const changes = readPatch(patch)
      if (!changes.ok) return changes
      const steps: Step[] = []
      for (const change of changes.value) {
        const step = await planned(files, change)
        if (!step.ok) return step
        steps.push(step.value)
      }
      const applied = await applyAll(files, steps)
      return applied.ok ? ok({ output: steps.map(summary).join('\n') }) : applied
    },
  })

/** One file of a patch whose outcome is known, and what there was before. */
interface Step {
  readonly from?: string
  readonly to?: string
  readonly before?: Uint8Array
  readonly after?: Uint8Array
  readonly mode?: number
}

async function planned(files: WorkspaceFiles, change: FileChange): AsyncResult<Step> {
  const { from, to } = change
  if (to !== undefined && to !== from) {
    const target = await files.info(to)
    if (target.ok) return err(WorkspaceFileRefused(`${JSON.stringify(to)} exists already`))
    if (target.error.code !== 'WORKSPACE_FILE_MISSING') return target
  }
  if (from === undefined) return created(change)
  const read = await files.read(from, FILE_BYTES)
  if (!read.ok) return read
  const { bytes: before, info } = read.value
  const step = { from, before, mode: info.mode, ...(to !== undefined && { to }) }
  if (!change.hunks) return ok({ ...step, after: before })
  const text = decoded(from, before)
  if (!text.ok) return text
  const after = patched(text.value, change)
  if (after === undefined) return err(mismatch(from))
  if (to !== undefined) return ok({ ...step, after: encoded(after) })
  return after === '' ? ok(step) : err(mismatch(from))
}

function created(change: FileChange): Result<Step, Failure> {
  const { to = '' } = change
  const after = patched('', change)
  return after === undefined ? err(mismatch(to)) : ok({ to, after: encoded(after) })
}

const mismatch = (path: string): Failure =>
  WorkspaceEditRefused(
    `the patch does not fit ${JSON.stringify(path)}; nothing has been changed: read the file, and write the patch for its present text`,
  )

/** Where one step fails, those before it are taken back. */
async function applyAll(files: WorkspaceFiles, steps: readonly Step[]): AsyncResult<void> {
  const done: Step[] = []
  for (const step of steps) {
    done.push(step)
    const applied = await apply(files, step)
    if (applied.ok) continue
    for (const earlier of done.toReversed()) await takeBack(files, earlier)
    return applied
  }
  return ok(undefined)
}

async function apply(files: WorkspaceFiles, step: Step): AsyncResult<void> {
  if (step.to !== undefined && step.after) {
    const written = await files.write(step.to, step.after, step.mode)
    if (!written.ok) return written
  }
  return step.from === undefined || step.from === step.to ? ok(undefined) : files.remove(step.from)
}

async function takeBack(files: WorkspaceFiles, step: Step): Promise<void> {
  if (step.from !== undefined && step.before) await files.write(step.from, step.before, step.mode)
  if (step.to !== undefined && step.to !== step.from) await files.remove(step.to)
}

function summary({ from, to }: Step): string {
  if (from === undefined) return `${to}: created`
  if (to === undefined) return `${from}: removed`
  return from === to ? `${to}: changed` : `${from}: renamed to ${to}`
}
