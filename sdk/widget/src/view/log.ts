import type { Item } from '@amodal/sdk/client'
import { h } from './dom.ts'
import { itemElement, type ItemContext } from './item.ts'

/** px from the end within which a reader counts as being there. */
const NEAR_END = 80

/** The items of a conversation: an element for each, built anew only where the item has changed. */
export class Log {
  readonly element: HTMLElement
  readonly #context: ItemContext
  readonly #shown = new Map<string, { readonly item: Item; readonly element: HTMLElement }>()

  constructor(context: ItemContext) {
    this.#context = context
    this.element = h('div', {
      class: 'log',
      part: 'log',
      role: 'log',
      // each answer is announced once, when it is complete
      'aria-live': 'off',
      tabindex: '0',
      'aria-label': context.texts.conversation,
    })
  }

  show(items: readonly Item[]): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element
    const isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END
    const keys = new Set(items.map(({ key }) => key))
    for (const [key, { element }] of this.#shown)
      if (!keys.has(key)) {
        element.remove()
        this.#shown.delete(key)
      }
    const elements = items.map((item) => this.#elementOf(item))
    let next = this.element.firstChild
    for (const element of elements) {
      if (element === next) next = next.nextSibling
      else this.element.insertBefore(element, next)
    }
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight
  }

  #elementOf(item: Item): HTMLElement {
    const earlier = this.#shown.get(item.key)
    // a form that a person fills in stays as it is
    if (earlier && (earlier.item === item || isSame(earlier.item, item))) return earlier.element
    const element = itemElement(item, this.#context, earlier?.element)
    if (earlier && earlier.element !== element) earlier.element.replaceWith(element)
    this.#shown.set(item.key, { item, element })
    return element
  }
}

const isSame = (one: Item, other: Item): boolean =>
  one.kind === 'text'
    ? other.kind === 'text' && one.text === other.text
    : JSON.stringify(one) === JSON.stringify(other)
