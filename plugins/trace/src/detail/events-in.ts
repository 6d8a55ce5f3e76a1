import type { JsonObject, SequencedEntry, ToolOutcome } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { eventsOf } from '@amodal/sdk/loop'
import { wireEvent } from '@amodal/sdk/wire'

/** Facts that clients were told beside a result, as the stream has them. */
export const eventsIn = (entry: SequencedEntry<ToolOutcome>): readonly JsonObject[] =>
  entry.private
    ? []
    : eventsOf(entry).map((event) => {
        const text = JSON.stringify(wireEvent({ at: entry.at, event }))
        return parseExact(text) as JsonObject // an event has JSON fields only
      })
