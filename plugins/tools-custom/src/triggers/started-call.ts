import { isObject, type AgentBundle, type JsonObject, type RunContext, sha256 } from '@amodal/sdk'
import { automationOf, automationsOf, type ScheduledTool } from '@amodal/plugin-automations/tokens'
import { customTools, type HandlerTool, type Trigger } from '../custom-tool.ts'
import { matcherOf, type Matcher } from './pattern.ts'

/** The key of a call that a route begins, in the state of its session. */
export const STARTED = 'tools-custom'

/** A call that a trigger begins in place of a model. */
export interface StartedCall {
  /** The id of the call; the same on every try. */
  readonly call: string
  readonly tool: HandlerTool
  readonly arguments: JsonObject
  /** A person has caused it: a message, or a request. */
  readonly byPerson: boolean
  /** Afterwards the model reads message and result. */
  readonly continueToLLM: boolean
}

type Context = Pick<
  RunContext,
  'bundle' | 'delegated' | 'messages' | 'principal' | 'run' | 'sessionState'
>

/** The trigger of this kind, if a tool has it. */
export const triggerOf = <K extends Trigger['kind']>(
  { triggers = [] }: Pick<HandlerTool, 'triggers'>,
  kind: K,
): Extract<Trigger, { readonly kind: K }> | undefined =>
  triggers.find((one): one is Extract<Trigger, { readonly kind: K }> => one.kind === kind)

/** Finds the call that a run begins with. */
export class StartedCalls {
  readonly #matchers = new WeakMap<Trigger, Matcher | undefined>()

  /** @returns `undefined` where the run is one for the model */
  of(ctx: Context): StartedCall | undefined {
    // A sub-agent has the state of its parent, and not its trigger.
    if (ctx.delegated === true) return undefined
    const tools = customTools(ctx.bundle).filter((tool) => tool.kind === 'handler')
    if (!tools.some(({ triggers }) => triggers !== undefined)) return undefined
    return requested(ctx, tools) ?? scheduled(ctx, tools) ?? this.#matched(ctx, tools)
  }

  #matched(ctx: Context, tools: readonly HandlerTool[]): StartedCall | undefined {
    if (automationOf(ctx.principal) !== undefined) return undefined
    const text = messageIn(ctx)
    if (text === undefined) return undefined
    const inOrder = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    for (const tool of inOrder) {
      for (const trigger of tool.triggers ?? []) {
        const found = trigger.kind === 'regex' ? this.#matcher(trigger)?.(text) : undefined
        if (trigger.kind === 'regex' && found)
          return {
            call: callOf(ctx.run),
            tool,
            arguments: found,
            byPerson: true,
            continueToLLM: trigger.continueToLLM,
          }
      }
    }
    return undefined
  }

  #matcher(trigger: Extract<Trigger, { readonly kind: 'regex' }>): Matcher | undefined {
    if (!this.#matchers.has(trigger)) {
      const compiled = matcherOf(trigger)
      this.#matchers.set(trigger, compiled.ok ? compiled.value : undefined)
    }
    return this.#matchers.get(trigger)
  }
}

/** What a route has put into the state of a session that it opened. */
function requested(
  { sessionState, principal }: Context,
  tools: readonly HandlerTool[],
): StartedCall | undefined {
  const given = sessionState[STARTED]
  if (!isObject(given)) return undefined
  const { call, tool: name, arguments: args = null } = given
  const tool = tools.find((one) => one.name === name && triggerOf(one, 'invoke'))
  if (!tool || typeof call !== 'string' || !isObject(args)) return undefined
  const byPerson = automationOf(principal) === undefined
  return { call, tool, arguments: args, byPerson, continueToLLM: false }
}

/** The tool whose schedule a run of an automation is. */
function scheduled(
  { bundle, principal, run }: Context,
  tools: readonly HandlerTool[],
): StartedCall | undefined {
  const tool = scheduledTool(bundle, automationOf(principal))
  const found = tools.find(({ name }) => name === tool)
  return (
    found && {
      call: callOf(run),
      tool: found,
      arguments: {},
      byPerson: false,
      continueToLLM: false,
    }
  )
}

const scheduledTool = (bundle: AgentBundle, automation: string | undefined): string | undefined =>
  automationsOf(bundle).find(({ name }) => name === automation)?.tool

const callOf = (run: string): string => `call_${sha256(`trigger:${run}`).slice(0, 24)}`

/** The text of the newest message of a person. */
function messageIn({ messages }: Context): string | undefined {
  const last = messages.findLast(({ role }) => role === 'user')
  if (last?.role !== 'user') return undefined
  return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** The tools of a bundle that run on a schedule. */
export const scheduledTools = (bundle: AgentBundle): readonly ScheduledTool[] =>
  customTools(bundle).flatMap((tool) => {
    const schedule = tool.kind === 'handler' ? triggerOf(tool, 'schedule') : undefined
    return schedule ? [{ tool: tool.name, cron: schedule.cron, file: tool.file }] : []
  })
