import { parseExact } from '@amodal/sdk/data'
import type { AgentEvent, Json, ModelCall, ModelResult, WireReply } from '@amodal/sdk'
import { wireUsage } from '@amodal/sdk/wire'
import type { LoopTurn } from '../run/loop-turn.ts'

/** Emits an event that is created only if a reader requested all events. */
export function emitDetail(turn: LoopTurn, make: () => AgentEvent): void {
  if (turn.parts.live.wantsAll) turn.progress(make())
}

/** A reply, after the taps that redact it. */
export function wireReply(
  { config: { provider, model } }: ModelCall,
  { text, reasoning, calls, finish, usage }: ModelResult,
): WireReply {
  return {
    role: 'assistant',
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, input }) => ({
        type: 'tool_call' as const,
        tool_id: id,
        tool_name: name,
        parameters: parseExact(input) as Json,
      })), // checked when it was read
    ],
    provider,
    model,
    stop_reason: finish,
    usage: wireUsage(usage),
  }
}
