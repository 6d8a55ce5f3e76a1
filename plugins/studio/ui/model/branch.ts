import { randomKey } from '@amodal/sdk/client'
import type { SessionFile } from './timeline.ts'
import { go } from './route.ts'
import type { Server } from './server.ts'
import { tabStorage } from './tab-storage.ts'
import type { Item } from './timeline.ts'

/** A message that is sent again, as it was or changed. */
export interface BranchMessage {
  readonly text: string
  readonly assets: readonly SessionFile[]
}

/** Where a conversation branches, and how it goes on there. */
export interface Branch {
  readonly session: string
  /** The last entry that the branch has; left out where it has none, as it is a new session. */
  readonly at: number | undefined
  /** Left out where the person writes the next message. */
  readonly message?: BranchMessage
}

/** Opens another session with the history up to a place, and sends the message there. */
export async function branch(server: Server, { session, at, message }: Branch): Promise<void> {
  const fork = at === undefined ? undefined : await server.fork(session, at)
  if (message)
    tabStorage.outbox.store([
      ...tabStorage.outbox.list(),
      {
        key: randomKey(),
        session: fork?.id,
        text: message.text,
        assets: message.assets,
        after: at ?? 0,
        at: Date.now(),
      },
    ])
  go({ view: 'chat', session: fork?.id })
}

/** A message of a person with the place before it. */
export interface Asked {
  readonly message: BranchMessage
  readonly before: number | undefined
}

/** The message that each item belongs to, by the item's key: of messages and of ends of turns. */
export function messagesOf(items: readonly Item[]): ReadonlyMap<string, Asked> {
  const found = new Map<string, Asked>()
  let before: number | undefined
  let current: Asked | undefined
  for (const item of items) {
    if (item.kind === 'user') {
      current = { message: { text: item.text, assets: item.assets ?? [] }, before }
      found.set(item.key, current)
    } else if (item.kind === 'end') {
      if (current) found.set(item.key, current)
      before = item.seq
    }
  }
  return found
}
