import { definePlugin, Handles, Scrubber } from '@amodal/sdk'
import { Ledger } from './ledger.ts'
import { Revealing } from './revealing.ts'
import { scrubber } from './scrubber.ts'
import { HandleRefused, AnswerWithheld } from './errors.ts'

/**
 * Takes what `access.json` restricts out of answers, before anything else sees them: taps, the
 * model, the journal, the log and the stream. Values that may be used and not be seen travel as
 * handles.
 */
export const guardFields = definePlugin({
  name: 'guard-fields',
  version: '0.1.0',
  errors: [HandleRefused, AnswerWithheld],
  provides: [Scrubber, Handles],
  setup({ hooks, provide }) {
    const ledger = new Ledger()
    const revealing = new Revealing()
    // It judges nothing: whoever sends asks later what stands behind a handle, and has only the
    // scope of its run.
    hooks.tool.guard.tap(
      (_verdict, _call, ctx) => {
        revealing.remember(ctx)
      },
      { stage: 'guard' },
    )
    provide(Scrubber, () => scrubber(ledger))
    provide(Handles, () => revealing)
  },
})

export default guardFields
