import type { ConversationSnapshot, Item } from '@amodal/sdk/client'
import { growingWithoutControls, withoutControls } from '@amodal/sdk/data'

/** What a snapshot adds to what was written before. */
export type Addition =
  /** An item that does not change any more, or a call that begins where that is wanted. */
  | { readonly kind: 'item'; readonly item: Item }
  /** A text of the agent without control characters, from its beginning as far as it is known. */
  | {
      readonly kind: 'text'
      /** The same for a text that has grown, and for no other. */
      readonly id: number
      readonly text: string
      readonly isComplete: boolean
    }
  /** The answer that was written last is void: it is given anew. */
  | { readonly kind: 'restart' }

/** The additions of a snapshot, and the items that are not finished. */
export interface Update {
  readonly additions: readonly Addition[]
  readonly pending: readonly Item[]
}

export interface ItemFeedOptions {
  /**
   * Adds a call as soon as it begins, and once more when it has ended. Default: only then, in the
   * order of the items.
   */
  readonly callsWhenBegun?: boolean
}

/** What stands in the order of the conversation: a call and what it asks are known by their ids. */
interface Written {
  readonly kind: 'user' | 'text' | 'end'
  /** Of a text: what of it is written. */
  text: string
  readonly isComplete: boolean
  readonly id: number
}

/**
 * Turns the snapshots of a conversation into additions to an output that cannot be changed, such as
 * the scrollback of a terminal. Each item is added once, also where it comes once more under
 * another key: after a reconnection, or from the history once its turn is over.
 */
export class ItemFeed {
  readonly #callsWhenBegun: boolean
  readonly #written: Written[] = []
  readonly #ids = new Set<string>()
  #texts = 0

  constructor({ callsWhenBegun = false }: ItemFeedOptions = {}) {
    this.#callsWhenBegun = callsWhenBegun
  }

  /** Reports how much of the text that was added last is written: the rest may still be replaced. */
  settle(length: number): void {
    const last = this.#written.at(-1)
    if (last?.kind === 'text') last.text = last.text.slice(0, length)
  }

  next({ items, state }: Pick<ConversationSnapshot, 'items' | 'state'>): Update {
    const additions: Addition[] = []
    let place = 0
    let turn = 0
    for (const [at, item] of items.entries()) {
      const pending = (): Update => ({ additions, pending: items.slice(at) })
      switch (item.kind) {
        case 'thought':
          if (at === items.length - 1) return pending()
          continue
        case 'user':
        case 'end': {
          if (item.kind === 'user') turn++
          const text = item.kind === 'user' ? item.text : ''
          if (this.#isWritten(place++, item.kind, text)) continue
          this.#written[place - 1] = { kind: item.kind, text, isComplete: true, id: 0 }
          additions.push({ kind: 'item', item })
          continue
        }
        case 'text': {
          const isComplete = !isGrowing(items, at, state)
          const read = this.#text(place++, item, isComplete)
          if (read === 'replayed') return { additions, pending: [] }
          additions.push(...read)
          if (!isComplete) return { additions, pending: items.slice(at + 1) }
          continue
        }
        default: {
          const isSettled = state === 'idle' || isFinished(item)
          if (!isSettled && !(this.#callsWhenBegun && item.kind === 'call')) return pending()
          const id = idOf(item, turn) + (isSettled ? '' : ' begun')
          if (this.#ids.has(id)) continue
          this.#ids.add(id)
          additions.push({ kind: 'item', item })
        }
      }
    }
    return { additions, pending: [] }
  }

  /** @returns whether it stands there; what stands there instead is forgotten */
  #isWritten(place: number, kind: Written['kind'], text: string): boolean {
    const written = this.#written[place]
    if (written?.kind === kind && written.text === text) return true
    this.#written.length = Math.min(this.#written.length, place)
    return false
  }

  #text(
    place: number,
    { text: source }: Extract<Item, { readonly kind: 'text' }>,
    isComplete: boolean,
  ): readonly Addition[] | 'replayed' {
    const text = isComplete ? withoutControls(source) : growingWithoutControls(source)
    const written = this.#written[place]
    if (written?.kind === 'text' && text.startsWith(written.text)) {
      const isLast = place === this.#written.length - 1
      if (!isLast || (written.text === text && written.isComplete === isComplete)) return []
      return [this.#writeText(place, text, isComplete, written.id)]
    }
    if (!isComplete && written?.kind === 'text' && written.text.startsWith(text)) return 'replayed'
    const addition = this.#writeText(place, text, isComplete, ++this.#texts)
    return written ? [{ kind: 'restart' }, addition] : [addition]
  }

  #writeText(place: number, text: string, isComplete: boolean, id: number): Addition {
    this.#written.length = place
    this.#written[place] = { kind: 'text', text, isComplete, id }
    return { kind: 'text', id, text, isComplete }
  }
}

function isFinished(item: Item): boolean {
  switch (item.kind) {
    case 'call':
      return item.status !== 'running' && item.status !== 'waiting'
    case 'ask':
      return !item.open
    default:
      return true
  }
}

/** The same for an item under whatever key it comes. */
function idOf(item: Item, turn: number): string {
  switch (item.kind) {
    case 'call':
      return `call ${item.key}`
    case 'ask':
      return `ask ${item.ask.id}`
    case 'doubt':
      return `doubt ${item.key}`
    case 'widget':
      return `widget ${turn} ${item.type} ${JSON.stringify(item.data)}`
    case 'note':
      return `note ${turn} ${item.tone} ${item.text}`
    default:
      return item.key
  }
}

/** Key of an item of the stored history. */
const STORED = /^m\d+/

/** Whether a text of the agent may become longer. */
function isGrowing(
  items: readonly Item[],
  at: number,
  state: ConversationSnapshot['state'],
): boolean {
  const [item, following] = [items[at], items[at + 1]]
  if (state === 'idle' || item === undefined || STORED.test(item.key)) return false
  // a message that waits for its turn stands behind an answer that is not complete
  return following === undefined || (following.kind === 'user' && !STORED.test(following.key))
}
