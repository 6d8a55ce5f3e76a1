import type {
  CallId,
  Json,
  ModelCall,
  PromptDraft,
  RunContext,
  SessionId,
  ToolContext,
  ToolDefinition,
  ToolResult,
  ToolSchema,
} from '@amodal/sdk'
import { canonical } from '@amodal/sdk'
import type { Playback } from './recording.ts'

/** What a model is sent, as far as two agents can differ in it. */
export interface ModelRequest {
  /** `provider/model`. */
  readonly model: string
  /** Canonical JSON. */
  readonly settings: string
  readonly system: string
  readonly sections: PromptDraft['sections']
  readonly tools: readonly ToolSchema[]
  /** JSON of each, with the ids of recorded sessions. */
  readonly messages: readonly string[]
}

/** One call of a tool in a replay. */
export interface ReplayedCall {
  readonly tool: ToolDefinition
  readonly args: Parameters<ToolDefinition['execute']>[0]
  readonly ctx: ToolContext
  readonly playback: Playback | undefined
  /** The result that this very call had. */
  readonly recorded: () => ToolResult
}

/** Follows a replay, request by request, and decides who answers. */
export interface Course {
  /** Called before each request to a model, but for those beside the conversation. */
  onRequest(run: RunContext, call: ModelCall, playback: Playback | undefined): void
  /** Whether the model itself answers in this session: its requests are not those of the record. */
  isLive(session: SessionId): boolean
  /** Why no further request is made. */
  readonly stopped: string | undefined
  execute(call: ReplayedCall): Promise<ToolResult>
}

/** The request of a call, before it is routed and marked. */
export const requestOf = (
  { config, messages, sections = [], settings, system, tools }: ModelCall,
  recordedIds: (text: string) => string,
): ModelRequest => ({
  model: `${config.provider}/${config.model}`,
  settings: canonical(JSON.parse(JSON.stringify(settings)) as Json),
  system,
  sections,
  tools,
  messages: messages.map((message) => recordedIds(JSON.stringify(message))),
})

/** They read the agent's own files, and nothing of what is outside. */
const FILE_TOOLS: ReadonlySet<string> = new Set([
  'activate_skill',
  'load_knowledge',
  'read_skill_file',
])

/** Whether a tool reads nothing but the agent's files; one of the agent's own has a file itself. */
export const readsFiles = ({ file, name, readOnly }: ToolDefinition): boolean =>
  readOnly && file === undefined && FILE_TOOLS.has(name)

/** What the model reads of a result. */
export const readingOf = (result: ToolResult): string => {
  switch (result.status) {
    case 'success':
      return canonical(result.output)
    case 'error':
      return canonical(result.message)
    case 'asks':
      return canonical(result.question.context)
    default:
      return result satisfies never
  }
}

/** Names a recorded call: ids of calls are unique in one session only. */
export const callKey = (session: SessionId, call: CallId): string => `${session} ${call}`
