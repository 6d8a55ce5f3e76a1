import type { AgentBundle, JsonObject } from '@amodal/sdk'
import type { HandlerTool } from '../custom-tool.ts'

/** When a guard is asked. */
export const POINTS = ['preInput', 'preToolUse', 'postToolUse', 'preOutput', 'postTurn'] as const
export type Point = (typeof POINTS)[number]

/** What a guard may know and do beyond being asked. */
export const CAPABILITIES = ['store:read', 'reads_tool_io', 'gates_tools'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** A guard of `hooks/`, checked: pure data, and a part of the bundle. */
export interface Guard extends Pick<HandlerTool, 'entry' | 'language' | 'shared'> {
  /** Of its folder, by which guards are ordered. */
  readonly folder: string
  readonly form: 'guard'
  /** As people read it. */
  readonly label: string
  readonly points: readonly Point[]
  readonly capabilities: readonly Capability[]
  /** Whether a throw, a time-out or a malformed answer blocks. */
  readonly failPolicy: 'closed' | 'open'
  readonly config: JsonObject
  readonly digest: string
}

const PART = 'tools-custom.guards'

/** The guards of a bundle, in the order in which they are asked. */
export const guardsOf = ({ parts }: Pick<AgentBundle, 'parts'>): readonly Guard[] =>
  (parts[PART] ?? []) as unknown as readonly Guard[] // written below, and frozen since

/** The bundle with its guards. */
export const withGuards = (bundle: AgentBundle, guards: readonly Guard[]): AgentBundle => ({
  ...bundle,
  parts: {
    ...bundle.parts,
    // JSON, as every part of a bundle
    [PART]: JSON.parse(JSON.stringify(guards)) as AgentBundle['parts'][string],
  },
})
