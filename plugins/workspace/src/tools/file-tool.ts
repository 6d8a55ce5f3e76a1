import {
  defineTool,
  type AsyncResult,
  type Failure,
  type Json,
  type ToolContent,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import type { Workspace, Workspaces } from '../session/workspace.ts'
import { OUTPUT_CHARS } from './text.ts'

/** A path of the model: the gate judges what it means. */
export const path = z.string().min(1).max(4_096).describe('Path below the workspace')

export interface FileOutput {
  readonly output: Json
  readonly content?: readonly ToolContent[]
}

interface FileToolShape<S extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  readonly timeoutMs?: number
  readonly runningLabel: string
  readonly completedLabel: string
  readonly input: S
  readonly work: (
    args: z.output<S>,
    workspace: Workspace,
    ctx: ToolContext,
  ) => AsyncResult<FileOutput>
}

/** A tool on the workspace of its session; one that may change it is recorded before it answers. */
export const fileTool = <S extends z.ZodObject>(
  workspaces: Workspaces,
  { work, ...shape }: FileToolShape<S>,
): ToolDefinition =>
  defineTool<S>({
    ...shape,
    // What it changes stays in the workspace: an untrusted text can send nothing outside with it.
    ...(!shape.readOnly && { taint: 'ignore' as const }),
    // Room for the notes that stand around the text.
    outputChars: OUTPUT_CHARS + 2_000,
    execute: async (args, ctx) => {
      const workspace = await workspaces.open(ctx, ctx.signal)
      if (!workspace.ok) return failed(workspace.error)
      const outcome = await work(args, workspace.value, ctx)
      if (shape.readOnly)
        return outcome.ok ? { status: 'success', ...outcome.value } : failed(outcome.error)
      // A call that fails may have changed something before.
      const recorded = await workspace.value.record(ctx.signal)
      if (!outcome.ok) return failed(outcome.error)
      if (!recorded.ok) return failed(recorded.error)
      const state = recorded.value === undefined ? {} : { sessionState: recorded.value }
      return { status: 'success', ...outcome.value, ...state }
    },
  })

const failed = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })
