type Property = string | boolean | undefined | ((event: Event) => void)
export type Child = Node | string | false | undefined

/**
 * Makes an element. Texts become text nodes and attributes, never HTML, so that nothing of the
 * agent runs, also under Trusted Types.
 *
 * @param properties attributes, and listeners by the names of their events after `on`
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, Property>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

export const button = (
  text: string,
  onclick: () => void,
  properties: Readonly<Record<string, Property>> = {},
): HTMLButtonElement => h('button', { type: 'button', onclick, ...properties }, text)
