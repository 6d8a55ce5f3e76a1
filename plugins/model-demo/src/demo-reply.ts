import type { JsonObject } from '@amodal/sdk'
import type { Filling } from './fill.ts'
import type { Tool } from './turn.ts'

export interface PlannedCall {
  readonly tool: string
  readonly args: JsonObject
}

/** What the model says: text, calls, or a text before calls. */
export interface DemoReply {
  readonly text: string
  readonly calls: readonly PlannedCall[]
}

export const say = (text: string): DemoReply => ({ text, calls: [] })

export function callsOf(tool: Tool, filling: Filling): DemoReply {
  return { text: '', calls: filling.calls.map((args) => ({ tool: tool.name, args })) }
}
