import type { ToolDefinition } from '@amodal/sdk'
import type { Workspaces } from '../session/workspace.ts'
import { applyPatchTool } from './apply-patch.ts'
import { editTool } from './edit.ts'
import { readTool } from './read.ts'
import { findTool, grepTool, lsTool } from './search.ts'
import { writeTool } from './write.ts'

/** The tools on files, without `bash`. */
export const fileTools = (workspaces: Workspaces): readonly ToolDefinition[] =>
  [readTool, writeTool, editTool, applyPatchTool, grepTool, findTool, lsTool].map((tool) =>
    tool(workspaces),
  )
