import type { AgentState, JsonObject, Message } from '@amodal/sdk'
import { likenessOf } from './likeness.ts'
import type { LoopGuardSettings } from './settings.ts'
import { LoopDetected } from './errors.ts'

export type Ending = Extract<AgentState, { kind: 'done' }>

export type TallyLimits = Pick<LoopGuardSettings, 'warnAt' | 'blockAt' | 'stopAt' | 'exempt'>

/**
 * Counts the calls of one run. It reads them from the conversation, so that the counts survive a
 * restart and include calls that never ran: of unknown tools, or refused.
 */
export class Tally {
  /** Why a run is over. */
  ending: Ending | undefined
  readonly #limits: TallyLimits
  readonly #alike = new Map<string, number>()
  /** Calls of each blocked tool. */
  readonly #blocked = new Map<string, number>()
  readonly #seen = new Set<string>()
  readonly #refusals = new Map<string, string>()
  readonly #notices = new Map<string, string>()

  constructor(limits: TallyLimits) {
    this.#limits = limits
  }

  /** Counts the calls that are new. */
  follow(messages: readonly Message[]): void {
    const fresh: Message[] = []
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at]
      if (message?.role === 'user') break // the run began there
      if (message?.role !== 'assistant') continue
      if (
        message.content.some((part) => part.type === 'tool-call' && this.#seen.has(part.toolCallId))
      )
        break
      fresh.push(message)
    }
    for (const message of fresh.reverse()) {
      if (message.role !== 'assistant') continue
      for (const part of message.content)
        if (part.type === 'tool-call')
          // an object, checked when it was read
          this.#count(part.toolCallId, part.toolName, part.input as JsonObject)
    }
  }

  /** Why a call is refused. */
  refusal(call: string): string | undefined {
    return this.#refusals.get(call)
  }

  /** The notice that the result of a call carries for the model. */
  notice(call: string): string | undefined {
    return this.#notices.get(call)
  }

  #count(id: string, tool: string, args: JsonObject): void {
    const { warnAt, blockAt, stopAt, exempt } = this.#limits
    this.#seen.add(id)
    if (exempt.includes(tool)) return
    const key = likenessOf(tool, args)
    const alike = (this.#alike.get(key) ?? 0) + 1
    this.#alike.set(key, alike)
    const inVain = this.#blocked.get(tool)
    const times = Math.max(alike, inVain === undefined ? 0 : inVain + 1)
    if (inVain !== undefined || times >= blockAt) {
      this.#blocked.set(tool, times)
      this.#refusals.set(
        id,
        `"${tool}" was called ${times} times in the same way and is blocked for the rest of this run: try something else, or tell the person what is in the way`,
      )
    } else if (times >= warnAt) {
      this.#notices.set(
        id,
        `[You have called "${tool}" ${times} times in the same way. Its answer will not get better: try something else, or say what is in the way. At ${blockAt} calls it is blocked.]`,
      )
    }
    if (times >= stopAt) {
      this.ending ??= {
        kind: 'done',
        reason: 'loop_detected',
        error: {
          code: LoopDetected.code,
          message: `the agent called "${tool}" ${times} times in the same way and got nowhere`,
        },
      }
    }
  }
}
