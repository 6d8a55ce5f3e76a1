import { definePlugin, isReadOnly, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { planSection } from './section.ts'
import { isPlanning, planOf } from './state.ts'
import { enterPlanMode, proposePlan } from './tools.ts'

/**
 * No writes before a person has approved a plan. A session is in plan mode by configuration, by a
 * message that says so, or because the model went there itself; it leaves with an approved plan.
 */
export const planMode = definePlugin({
  name: 'plan-mode',
  version: '0.1.0',
  config: z.strictObject({
    always: z
      .boolean()
      .default(false)
      .describe('Every run begins in plan mode: a plan is approved for the run that proposed it.'),
    offered: z
      .boolean()
      .default(false)
      .describe('The model may go into plan mode by itself: it has the tool `enter_plan_mode`.'),
  }),
  setup({ config: { always, offered }, add, hooks }) {
    if (offered) add(Tools, 'plan-mode', { tools: () => [enterPlanMode] })
    // Listed only in plan mode, so that other sessions spend no tokens on it.
    hooks.tools.list.tap((list, ctx) =>
      isPlanning(ctx, always) ? { ...list, tools: [...list.tools, proposePlan] } : undefined,
    )
    hooks.tool.guard.tap(
      (verdict, call, ctx) => {
        if (isReadOnly(call) || !isPlanning(ctx, always)) return undefined
        return verdict.raise(
          'deny',
          'this session is in plan mode, where nothing is changed: look around, then call `propose_plan`',
        )
      },
      { stage: 'guard' },
    )
    hooks.run.start.tap((_request, ctx) => {
      if (isPlanning(ctx, always)) ctx.progress({ type: 'plan_mode', action: 'enter' })
      return undefined
    })
    hooks.prompt.compile.tap((draft, ctx) => {
      const section = planSection(isPlanning(ctx, always), planOf(ctx, always))
      return (
        section && { ...draft, sections: [...draft.sections, { ...section, plugin: 'plan-mode' }] }
      )
    })
  },
})

export default planMode
