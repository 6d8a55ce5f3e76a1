import { definePlugin, Outgoing } from '@amodal/sdk'
import { guardArguments } from './arguments.ts'
import { keptEntry, shownEntry } from './entry.ts'
import { shownEvent } from './event.ts'
import { cleanText } from './outgoing.ts'
import { replyGuard } from './reply.ts'
import { withoutKnown } from './result.ts'
import { type Reader, Review } from './review.ts'
import { settings } from './settings.ts'
import { OutputBlocked, OutputCut } from './errors.ts'

/**
 * Looks at every text that leaves, in four stages: values that may be used and not be seen, numbers
 * of persons and banks, withheld values in whatever disguise, and claims about more than can be
 * seen.
 */
export const guardOutput = definePlugin({
  name: 'guard-output',
  version: '0.1.0',
  errors: [OutputBlocked, OutputCut],
  provides: [Outgoing],
  config: settings,
  setup({ config, hooks, provide }) {
    const review = new Review(config)
    hooks.tool.guard.tap((verdict, call, ctx) => guardArguments(verdict, call, review, ctx), {
      stage: 'guard',
    })
    hooks.tool.result.tap(
      (result, _call, ctx) => changed(withoutKnown(result, review, ctx), result),
      { stage: 'first' },
    )
    // Behind every other tap: what comes out here is what is kept and sent.
    hooks.model.stream.tap((call, ctx) => replyGuard(review, call, ctx), { stage: 'seal' })
    hooks.journal.write.tap((entry, ctx) => changed(keptEntry(entry, review, ctx), entry), {
      stage: 'seal',
    })
    hooks.event.emit.tap((event, ctx) => changed(shownEvent(event, review, ctx), event), {
      stage: 'seal',
    })
    hooks.session.open.tap(
      (draft) => {
        const title = cleanText(draft.title, review, NOBODY)
        return title === draft.title ? undefined : { ...draft, title }
      },
      { stage: 'seal' },
    )
    provide(Outgoing, () => ({
      text: (text) => cleanText(text, review, NOBODY),
      entry: (entry) => shownEntry(entry, review, NOBODY),
    }))
  },
})

/** What a tap has nothing to say of is not checked again. */
const changed = <T>(now: T, before: T): T | undefined => (now === before ? undefined : now)

/**
 * Whoever reads from outside of a run has no role in it, and nothing is known but what a text says
 * itself.
 */
const NOBODY: Reader = { withheld: [], roles: [] }

export { filterLinks, LinkFilter } from './loading/link-filter.ts'
export { OutputStream } from './output-stream.ts'
export { KnownValues } from './leaks.ts'
export { Review } from './review.ts'
export { scan } from './scan.ts'
export { settings } from './settings.ts'
export default guardOutput
