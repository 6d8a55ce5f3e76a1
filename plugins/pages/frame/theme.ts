type Theme = 'light' | 'dark'

const listeners = new Set<() => void>()
let current: Theme = 'light'

/** The theme of the window around. */
export const theme = {
  get current(): Theme {
    return current
  },
  set(next: Theme): void {
    current = next
    document.documentElement.dataset['theme'] = next
    for (const listener of listeners) listener()
  },
  subscribe(this: void, listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
