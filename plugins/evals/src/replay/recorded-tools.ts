import type {
  AgentEvent,
  CallId,
  ToolContext,
  ToolDefinition,
  ToolList,
  ToolOutcome,
  ToolResult,
} from '@amodal/sdk'
import type { Course } from './course.ts'
import type { Playback } from './recording.ts'

/** What the outcome of an effect in doubt says behind what its tool said. */
const IN_DOUBT = / Whether it took effect is unknown: check before repeating it\.$/

/** What is called in a replay, and where it is told what the recording does not have. */
export interface ToolPlayback {
  playback(ctx: Pick<ToolContext, 'session'>): Playback | undefined
  readonly problems: string[]
  /** Decides about each call, where the replay is compared with another one. */
  readonly course?: Course | undefined
}

/**
 * The agent's tools with what they gave when the conversation happened: none of them is called.
 * Sub-agents work, each on its own recording.
 */
export const recordedTools = (list: ToolList, replay: ToolPlayback): ToolList => ({
  ...list,
  tools: list.tools.map((tool) => (tool.dispatches === true ? tool : recorded(tool, replay))),
})

const recorded = (tool: ToolDefinition, replay: ToolPlayback): ToolDefinition => ({
  ...tool,
  async execute(args, ctx) {
    const playback = replay.playback(ctx)
    const fromRecord = (): ToolResult => recordedResult(playback, tool.name, ctx.callId, replay)
    return replay.course
      ? replay.course.execute({ tool, args, ctx, playback, recorded: fromRecord })
      : fromRecord()
  },
})

function recordedResult(
  playback: Playback | undefined,
  name: string,
  call: CallId,
  { problems }: ToolPlayback,
): ToolResult {
  const question = playback?.nextQuestion(call)
  if (question) {
    const { context, questions, schema } = question
    return {
      status: 'asks',
      question: { type: 'question', context, schema, ...(questions && { questions }) },
    }
  }
  const outcome = playback?.outcome(call)
  if (outcome) return resultOf(outcome)
  problems.push(`${name} (${call}): the recording has no result of this call`)
  return { status: 'error', code: 'TOOL_FAILED', message: 'This call was not recorded.' }
}

/** The result that a tool has given, from the outcome that came of it. */
export function resultOf(outcome: ToolOutcome): ToolResult {
  const { code, content, ends, events, notice, output, session_state: sessionState } = outcome
  if (outcome.status !== 'success')
    return {
      status: 'error',
      message: (typeof output === 'string' ? output : JSON.stringify(output)).replace(IN_DOUBT, ''),
      ...(typeof output !== 'string' && { output }),
      ...(notice !== undefined && { notice }),
      ...(code !== undefined && { code }),
    }
  return {
    status: 'success',
    output,
    ...(content && { content }),
    // As the tool has told them.
    ...(events && { events: events as readonly AgentEvent[] }),
    ...(ends === true && { ends }),
    ...(notice !== undefined && { notice }),
    ...(sessionState && { sessionState }),
    // It is stored as it was stored then.
    ...(outcome.ephemeral === true && { persistence: 'ephemeral' as const }),
  }
}
