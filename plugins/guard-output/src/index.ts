import { definePlugin, OutputRedactor } from '@amodal/sdk'
import { guardArguments } from './arguments.ts'
import { journalEntry, shownEntry } from './entry.ts'
import { shownEvent } from './event.ts'
import { cleanText } from './clean.ts'
import { personalNumbers } from './personal-numbers.ts'
import { replyGuard } from './reply.ts'
import { withoutKnownValues } from './result.ts'
import { type Reader, readerOf, Review } from './review.ts'
import { SentValues } from './sent-values.ts'
import { settings } from './settings.ts'
import { OutputBlocked, OutputCut } from './errors.ts'

/**
 * Scans every text that leaves for redacted values, as they are or in an encoding, for numbers of
 * persons and banks, and for claims beyond the visible rows.
 */
export const guardOutput = definePlugin({
  name: 'guard-output',
  version: '0.1.0',
  errors: [OutputBlocked, OutputCut],
  provides: [OutputRedactor],
  config: settings,
  setup({ config, hooks, provide }) {
    const review = new Review(config)
    const sent = new SentValues(review)
    hooks.tool.guard.tap(
      (verdict, call, ctx) => {
        sent.remember(ctx)
        return guardArguments(verdict, call, review, ctx)
      },
      { stage: 'guard' },
    )
    hooks.tool.result.tap(
      (result, _call, ctx) => changed(withoutKnownValues(result, review, ctx), result),
      { stage: 'first' },
    )
    // After every other tap: the result of this one is stored and sent.
    hooks.model.stream.tap((_call, ctx) => replyGuard(review, ctx), { stage: 'seal' })
    hooks.journal.write.tap(
      (entry, ctx) => changed(journalEntry(entry, review, readerOf(ctx)), entry),
      {
        stage: 'seal',
      },
    )
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
    provide(OutputRedactor, () => ({
      text: (text) => cleanText(text, review, NOBODY),
      entry: (entry) => shownEntry(entry, review, NOBODY),
      redactedPaths: (value, ctx) => sent.redactedPaths(value, ctx),
      personalNumbers,
    }))
  },
})

/** `undefined` for an unchanged value, which spares its validation. */
const changed = <T>(now: T, before: T): T | undefined => (now === before ? undefined : now)

/**
 * A reader outside of a run: without roles and without redacted values of a session, so only
 * patterns are matched.
 */
const NOBODY: Reader = { redacted: [], roles: [] }

export { OutputStream } from './output-stream.ts'
export { Review } from './review.ts'
export { settings } from './settings.ts'
export default guardOutput
