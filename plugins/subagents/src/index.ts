import {
  Agent,
  Clock,
  definePlugin,
  Dispatcher,
  SessionStore,
  ToolAliases,
  Tools,
} from '@amodal/sdk'
import { RunFiles } from '@amodal/plugin-loop/tokens'
import { FolderCounts, PartStarters } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { addToolIssues } from './check.ts'
import { childOf } from './child.ts'
import { definitionsOf } from './definition.ts'
import { DISPATCH_TASK, dispatchTask } from './dispatch-task.ts'
import { dispatcher } from './dispatcher.ts'
import { CallCount, ToolNarrowing } from './narrowing.ts'
import { callableSubagents } from './grants/call-subagent.ts'
import { AgentCode } from './grants/agent-code.ts'
import { grantedFiles } from './grants/granted-files.ts'
import { GrantedTools } from './grants/granted-tools.ts'
import { allows, grantedTools } from './grants/grants.ts'
import { grantsOf } from './grants/grants-of.ts'
import { readAgents } from './read-agents.ts'
import { agentStarter } from './starter.ts'
import { agentsOf, OwnCalls } from './tokens.ts'

/**
 * Sub-agents: tasks that are worked on at the same time, each in a session of its own, for a
 * summary.
 */
export const subagents = definePlugin({
  name: 'subagents',
  version: '0.1.0',
  requires: { agent: Agent, sessions: SessionStore, clock: Clock },
  provides: [Dispatcher],
  config: z.strictObject({
    parallel: z
      .int()
      .min(1)
      .max(100)
      .default(8)
      .describe('Sub-agents of one run that work at the same time; the others wait'),
  }),
  setup({ config: { parallel }, deps, provide, add, hooks, generation }) {
    provide(Dispatcher, () => dispatcher({ ...deps, parallel }))
    add(Tools, 'subagents', {
      tools: (bundle) => [dispatchTask(bundle), ...callableSubagents(bundle)],
    })
    const code = () => generation().scope.find(AgentCode)
    add(RunFiles, 'subagents', grantedFiles(code))
    add(ToolAliases, 'subagents', () => ({ dispatch: DISPATCH_TASK }))
    add(PartStarters, 'agent', agentStarter)
    add(FolderCounts, 'agents', (bundle) => agentsOf(bundle).length)
    hooks.bundle.load.tap((bundle) => readAgents(bundle, code()))
    hooks.bundle.check.tap((bundle, issues) => addToolIssues(bundle, generation(), issues))

    const narrowing = new ToolNarrowing()
    const granted = new GrantedTools()
    const calls = new CallCount()
    hooks.tools.list.tap(
      (list, ctx) => {
        const child = childOf(ctx)
        const grants = grantsOf(ctx)
        if (grants) return granted.of(list, grants, ctx.bundle, (child?.left ?? 2) > 1)
        return child && narrowing.tools(list, child)
      },
      { stage: 'last' },
    )
    hooks.prompt.compile.tap((draft, ctx) => {
      const child = childOf(ctx)
      const definition = child && definitionsOf(ctx.bundle).get(child.agent)
      return definition && narrowing.prompt(draft, definition)
    })
    hooks.tool.guard.tap(
      (verdict, call, ctx) => {
        const { action, outer, tool } = call
        const grants = grantsOf(ctx)
        // What a tool of the agent's own calls, its definition names.
        if (!grants || outer) return undefined
        if ([...generation().registry(OwnCalls).values()].some((is) => is(call, ctx)))
          return undefined
        if (!allows(grantedTools(grants), tool.name))
          return verdict.raise('deny', `this agent may not use "${tool.name}"`)
        return action &&
          action.protocol !== 'web' &&
          !grants.connections.includes(action.connection)
          ? verdict.raise('deny', `this agent may not use the connection "${action.connection}"`)
          : undefined
      },
      { stage: 'guard' },
    )
    hooks.tool.guard.tap(
      (verdict, { id }, ctx) => {
        const child = childOf(ctx)
        if (!child || calls.of(id, ctx.messages) <= child.maxToolCalls) return undefined
        return verdict.raise(
          'deny',
          `this sub-agent has used its ${child.maxToolCalls} tool calls: answer with what you know`,
        )
      },
      { stage: 'guard' },
    )
  },
})

export default subagents
