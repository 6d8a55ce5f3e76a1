import { definePlugin } from '@amodal/sdk'
import { linkEntry } from './entry.ts'
import { linkEvent } from './event.ts'
import { filterLinks } from './link-filter.ts'
import { Policies } from './policies.ts'
import { LinkStream } from './link-stream.ts'
import { settings } from './settings.ts'

/**
 * Makes sure that a text loads nothing by itself, and that a link to a host nobody named is text.
 */
export const guardLinks = definePlugin({
  name: 'guard-links',
  version: '0.1.0',
  // What is redacted is no link any more, and a link that is left is the last word.
  after: ['guard-output'],
  config: settings,
  setup({ config, hooks }) {
    if (config.links === 'keep') return
    const policies = new Policies(config)
    hooks.model.stream.tap((_call, ctx) => new LinkStream(policies.of(ctx)), { stage: 'seal' })
    hooks.journal.write.tap((entry, ctx) => changed(linkEntry(entry, policies.of(ctx)), entry), {
      stage: 'seal',
    })
    hooks.event.emit.tap((event, ctx) => changed(linkEvent(event, policies.of(ctx)), event), {
      stage: 'seal',
    })
    hooks.session.open.tap(
      (draft) => {
        const title = filterLinks(draft.title, policies.ofTitle)
        return title === draft.title ? undefined : { ...draft, title }
      },
      { stage: 'seal' },
    )
  },
})

/** `undefined` for an unchanged value, which spares its validation. */
const changed = <T>(now: T, before: T): T | undefined => (now === before ? undefined : now)

export { filterLinks, LinkFilter } from './link-filter.ts'
export type { LinkPolicy } from './tag-rules.ts'
export default guardLinks
