import { definePlugin, RedactionHandles, Scrubber } from '@amodal/sdk'
import { HandleResolver } from './handle-resolver.ts'
import { scrubber } from './scrubber.ts'
import { HandleRefused, ResponseWithheld } from './errors.ts'

/**
 * Removes the fields that `access.json` restricts from responses, before taps, the model, the
 * journal, the log and the stream see them. Values that may be used but not read are replaced by
 * redaction handles.
 */
export const guardFields = definePlugin({
  name: 'guard-fields',
  version: '0.1.0',
  errors: [HandleRefused, ResponseWithheld],
  provides: [Scrubber, RedactionHandles],
  setup({ hooks, provide }) {
    const revealing = new HandleResolver()
    // It judges nothing. It remembers the run by its scope, which is all that `reveal` is given
    // later.
    hooks.tool.guard.tap(
      (_verdict, _call, ctx) => {
        revealing.remember(ctx)
      },
      { stage: 'guard' },
    )
    provide(Scrubber, () => scrubber())
    provide(RedactionHandles, () => revealing)
  },
})

export default guardFields
