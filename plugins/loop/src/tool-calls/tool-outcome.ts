import type { JournalEntry, PreparedCall, ToolResult } from '@amodal/sdk'
import type { LoopTurn } from '../run/loop-turn.ts'
import { filledLabel } from './filled-label.ts'
import { isPrivate } from './persistence.ts'
import { defined } from '@amodal/sdk/loop'
import type { Performed } from './perform.ts'

/** The outcome entry of a call that ran. Questions have an outcome once they are answered. */
export function outcomeOf(
  call: PreparedCall,
  result: Exclude<ToolResult, { status: 'asks' }>,
  { ms, doubts, ephemeral }: Performed,
  turn: LoopTurn,
): JournalEntry {
  if (result.redacted) turn.addRedacted(call.id, result.redacted)
  const common = {
    kind: 'tool_outcome' as const,
    call: call.id,
    name: call.tool.name,
    ...(call.tool.completedLabel !== undefined && {
      label: filledLabel(call.tool.completedLabel, call.args),
    }),
    ms,
    ...(ephemeral ? { ephemeral } : {}),
    ...(isPrivate(call, turn) ? { private: true as const } : {}),
  }
  const { notice } = result
  if (result.status === 'success') {
    const { output, content, events, ends, sessionState } = result
    return turn.newEntry({
      ...common,
      status: 'success',
      output,
      ...defined({ content, events, ends, notice, session_state: sessionState }),
    })
  }
  const { message, code, output = message } = result
  if (doubts.length === 0)
    return turn.newEntry({ ...common, status: 'error', ...defined({ code, notice }), output })
  return turn.newEntry({
    ...common,
    status: 'unknown',
    in_doubt: doubts,
    ...defined({ code, notice }),
    output: `${message} Whether it took effect is unknown: check before repeating it.`,
  })
}
