import type { HookTaps, RunContext, ToolDefinition, ToolList } from '@amodal/sdk'
import { isAdmin } from './admin-session.ts'

/** Tools of others that a session of the admin agent has: they touch nothing of the agent. */
const OTHERS: ReadonlySet<string> = new Set([
  'activate_skill',
  'read_skill_file',
  'load_knowledge',
  'ask_user',
])

/** Gives sessions of the admin agent its tools and no others. */
export function tapTools(hooks: HookTaps, tools: readonly ToolDefinition[]): void {
  const own = new Set(tools.map(({ name }) => name))
  const lists = new WeakMap<ToolList, ToolList>()
  hooks.tools.list.tap(
    (list, run) => {
      if (!isAdmin(run)) return undefined
      const known = lists.get(list) ?? adminList(list, own)
      lists.set(list, known)
      return known
    },
    { stage: 'last' },
  )
  // Whatever list a run got its tools from: it calls no others.
  hooks.tool.guard.tap((verdict, { tool: { name } }, run: RunContext) =>
    isAdmin(run) === (own.has(name) || (isAdmin(run) && OTHERS.has(name)))
      ? undefined
      : verdict.raise('deny', `${name} is not a tool of this session`),
  )
}

function adminList(list: ToolList, own: ReadonlySet<string>): ToolList {
  return {
    tools: list.tools.filter(({ name }) => own.has(name) || OTHERS.has(name)),
    aliases: {},
  }
}
