import { Agent, Clock, Commands, definePlugin } from '@amodal/sdk'
import { evalCommand } from './command/eval-command.ts'
import { promoteCommand } from './command/promote-command.ts'
import { replayCommand } from './command/replay-command.ts'
import { EvalInvalid, EvalNotPromotable, JudgeFailed } from './errors.ts'
import { readEvals } from './read/read-evals.ts'
import { Replays } from './replay/replay.ts'
import { runReplay } from './replay/run-replay.ts'
import { tapReplays } from './replay/taps.ts'
import { EvalRunner } from './run/eval-runner.ts'
import { readSettings } from './settings.ts'
import { Evals } from './tokens.ts'
import { tapTrials } from './trial/taps.ts'
import { Trials } from './trial/trial.ts'

/**
 * Runs the cases of `evals/` through the agent as it is, with stubs in place of its tools, and says
 * which of them pass.
 */
export const evals = definePlugin({
  name: 'evals',
  version: '0.1.0',
  requires: { agent: Agent, clock: Clock },
  provides: [Evals],
  // What those decide is known when the last guard here is asked.
  after: ['roles', 'guard-access', 'guard-taint', 'plan-mode', 'confirmations', 'automations'],
  errors: [EvalInvalid, JudgeFailed, EvalNotPromotable],
  setup({ add, deps, generation, hooks, log, provide }) {
    const { agent, clock } = deps
    const trials = new Trials()
    hooks.bundle.load.tap(readSettings)
    hooks.bundle.load.tap(readEvals)
    tapTrials(hooks, trials)
    const runner = new EvalRunner({ agent, clock, generation, log, trials })
    const replays = new Replays()
    tapReplays(hooks, replays)
    provide(Evals, () => ({
      runner,
      replay: (recording, signal) => runReplay({ agent, replays }, recording, signal),
    }))
    add(Commands, 'eval', evalCommand)
    add(Commands, 'eval promote', promoteCommand)
    add(Commands, 'replay', replayCommand)
  },
})

export default evals
