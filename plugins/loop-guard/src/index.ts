import { definePlugin } from '@amodal/sdk'
import { LoopGuardSettings } from './settings.ts'
import { Watch } from './watch.ts'
import { LoopDetected } from './errors.ts'

/**
 * Ends runs that repeat the same calls: first the model gets a notice, then the tool is refused,
 * then the run ends.
 *
 * @example
 * use(loopGuard, { stopAt: 6, progressEvery: 5 })
 */
export const loopGuard = definePlugin({
  name: 'loop-guard',
  version: '0.1.0',
  errors: [LoopDetected],
  config: LoopGuardSettings,
  setup({ config, hooks }) {
    const watch = new Watch(config)
    hooks.tool.guard.tap(
      (verdict, call, ctx) => {
        const reason = watch.refusal(call, ctx)
        return reason === undefined ? undefined : verdict.raise('deny', reason)
      },
      { stage: 'guard' },
    )
    hooks.tool.result.tap((result, call, ctx) => {
      const notice = result.status === 'asks' ? undefined : watch.notice(call, ctx)
      return notice === undefined ? undefined : { ...result, notice }
    })
    hooks.state.leave.executing.tap((exit, { kind }, ctx) => {
      if (kind !== 'executing' || exit.to.kind !== 'thinking') return undefined
      const ending = watch.stepped(exit.to.step - 1, ctx)
      return ending && { ...exit, to: ending }
    })
  },
})

export default loopGuard
