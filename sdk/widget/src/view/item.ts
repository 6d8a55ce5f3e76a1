import type { Item } from '@amodal/sdk/client'
import type { Texts } from '../texts.ts'
import { askCard, type OnAnswer } from './ask-card.ts'
import { h, type Child } from './dom.ts'
import { showMarkdown } from './markdown.ts'
import { values } from './values.ts'

/** Shows a widget of the agent in the page's own way. @returns nothing for the usual card */
export type RenderWidget = (type: string, data: unknown) => Node | undefined

export interface ItemContext {
  readonly texts: Texts
  readonly renderWidget: RenderWidget | undefined
  readonly onAnswer: (ask: string) => OnAnswer
}

/** The element of an item. One that has changed takes the place of `earlier`. */
export function itemElement(
  item: Item,
  context: ItemContext,
  earlier: HTMLElement | undefined,
): HTMLElement {
  if (item.kind === 'text' && earlier) {
    showMarkdown(earlier, item.text)
    return earlier
  }
  const element = h('div', {
    class: item.kind,
    part: item.kind === 'user' ? 'message user-message' : 'message',
    dir: item.kind === 'user' || item.kind === 'text' ? 'auto' : undefined,
    role: 'article',
    'aria-label': item.kind === 'user' ? context.texts.you : context.texts.agent,
  })
  if (item.kind === 'text') showMarkdown(element, item.text)
  else
    element.append(
      ...contentOf(item, context).filter((child) => child !== undefined && child !== false),
    )
  const opened = earlier?.querySelector('details')?.open
  const details = element.querySelector('details')
  if (details && opened) details.open = true
  return element
}

/** How a turn ended, where it was not by itself. */
const ENDS: Readonly<Record<string, 'stopped' | 'limit'>> = {
  user_abort: 'stopped',
  max_turns: 'limit',
  budget_exceeded: 'limit',
  loop_detected: 'stopped',
}

function contentOf(item: Exclude<Item, { kind: 'text' }>, context: ItemContext): readonly Child[] {
  const { texts, renderWidget, onAnswer } = context
  switch (item.kind) {
    case 'user':
      return userContent(item, texts)
    case 'thought':
      return [h('details', {}, h('summary', {}, texts.thinking), h('p', {}, item.text))]
    case 'call':
      return [callDetails(item)]
    case 'widget':
      return [renderWidget?.(item.type, item.data) ?? widgetCard(item.type, item.data)]
    case 'ask':
      return [askCard(item, texts, onAnswer(item.ask.id))]
    case 'doubt':
      return [
        h('p', {}, `${texts.unknownOutcome}: `, h('code', {}, item.tool)),
        values(item.params),
      ]
    case 'note':
      return [h('p', { class: 'note', 'data-tone': item.tone }, item.text)]
    case 'end': {
      const end = ENDS[item.reason]
      return [end && h('small', {}, texts[end])]
    }
    default:
      return item satisfies never
  }
}

type ItemOf<K extends Item['kind']> = Extract<Item, { readonly kind: K }>

const userContent = (
  { text, assets = [], unsent = false }: ItemOf<'user'>,
  texts: Texts,
): readonly Child[] => [
  text,
  ...assets.map(({ id, name }) => h('small', {}, name ?? id.slice(0, 8))),
  unsent && h('small', {}, texts.unsent),
]

const callDetails = ({ status, label, params, log, result }: ItemOf<'call'>): Element =>
  h(
    'details',
    { 'data-status': status },
    h('summary', {}, label),
    values(params),
    log.length > 0 && h('pre', { tabindex: '0' }, log.join('\n')),
    result !== undefined && h('pre', { tabindex: '0' }, result),
  )

function widgetCard(type: string, data: unknown): Element {
  const { title, ...fields } = fieldsOf(data)
  const isTitled = typeof title === 'string'
  const heading = isTitled ? title : type.replaceAll(/[-_]/g, ' ')
  return h(
    'section',
    { class: 'card', part: 'widget', 'aria-label': heading, 'data-widget': type },
    h('h3', { dir: 'auto' }, heading),
    values(isTitled ? fields : data),
  )
}

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' ? { ...data } : {}
