import type { ConversationSnapshot } from '@amodal/sdk/client'
import type { Chat } from '../chat.ts'
import type { Texts } from '../texts.ts'
import { Composer } from './composer.ts'
import { button, h } from './dom.ts'
import type { RenderWidget } from './item.ts'
import { Log } from './log.ts'

export interface PanelOptions {
  readonly texts: Texts
  readonly welcome: string | undefined
  readonly hasAttachments: boolean
  /** Whether it is a dialog that can be closed. */
  readonly onClose: (() => void) | undefined
  readonly renderWidget: RenderWidget | undefined
}

/** Letters of an answer that are announced to people who hear it. */
const MOST_ANNOUNCED = 1_000

/** A chat as people see it: header, conversation, notices, and the field to write in. */
export class Panel {
  readonly element: HTMLElement
  readonly #chat: Chat
  readonly #texts: Texts
  readonly #log: Log
  readonly #composer: Composer
  readonly #notices = h('div', { class: 'notices', part: 'notices', role: 'alert' })
  readonly #announcement = h('div', { class: 'hidden', role: 'status' })
  readonly #thinking = h(
    'div',
    { class: 'thinking', 'aria-hidden': 'true' },
    h('i'),
    h('i'),
    h('i'),
  )
  readonly #welcome: HTMLElement | undefined
  #state: ConversationSnapshot['state'] = 'idle'
  #notice = ''

  constructor(chat: Chat, { texts, welcome, hasAttachments, onClose, renderWidget }: PanelOptions) {
    this.#chat = chat
    this.#texts = texts
    const onAnswer = (id: string) => (answer: object) => chat.answer({ id, ...answer })
    this.#log = new Log({ texts, renderWidget, onAnswer })
    if (welcome !== undefined) this.#welcome = h('p', { class: 'welcome', dir: 'auto' }, welcome)
    this.#composer = new Composer({
      texts,
      upload: hasAttachments ? chat.client.upload : undefined,
      onSend: (text, files) => chat.send(text, files),
      onStop: () => chat.stop(),
    })
    this.element = h(
      'section',
      {
        class: 'panel',
        part: 'panel',
        role: onClose ? 'dialog' : 'region',
        'aria-label': texts.heading,
        onkeydown(event) {
          // shortcuts of the page are not for what is written here
          event.stopPropagation()
          if ((event as KeyboardEvent).key === 'Escape') onClose?.()
        },
      },
      h(
        'header',
        { part: 'header' },
        h('h2', {}, texts.heading),
        button('✎', () => chat.startNew(), { 'aria-label': texts.newChat, title: texts.newChat }),
        onClose && button('×', onClose, { 'aria-label': texts.close, title: texts.close }),
      ),
      this.#welcome,
      this.#log.element,
      this.#thinking,
      this.#notices,
      this.#announcement,
      this.#composer.element,
    )
    this.show(chat.snapshot)
  }

  focus(): void {
    this.#composer.input.focus()
  }

  show(snapshot: ConversationSnapshot): void {
    const { items, state } = snapshot
    this.#log.show(items)
    if (this.#welcome) this.#welcome.hidden = items.length > 0 || state === 'loading'
    this.#thinking.hidden = state !== 'running'
    this.element.setAttribute('data-state', state)
    this.#composer.setRunning(state === 'running' || state === 'waiting')
    this.#showNotice(snapshot)
    if (this.#state !== state) this.#announce(snapshot)
    this.#state = state
  }

  #announce({ items, state }: ConversationSnapshot): void {
    const last = items.findLast((item) => item.kind === 'text' || item.kind === 'user')
    if (state === 'waiting') this.#announcement.textContent = this.#texts.approval
    else if (state === 'running') this.#announcement.textContent = ''
    else if (state === 'idle' && this.#state !== 'loading' && last?.kind === 'text')
      this.#announcement.textContent = last.text.slice(0, MOST_ANNOUNCED)
  }

  #showNotice({ state, problem, locked, setAside }: ConversationSnapshot): void {
    const { away, signIn, goOn, stop, failed } = this.#texts
    const isSetAside = setAside !== undefined && state === 'idle'
    let notice = problem === undefined ? '' : `${failed}: ${problem}`
    if (state === 'away') notice = away
    else if (locked !== undefined) notice = signIn
    else if (isSetAside) notice = setAside.message
    if (notice === this.#notice) return
    this.#notice = notice
    this.#notices.replaceChildren(notice)
    if (!isSetAside) return
    this.#notices.append(
      button(goOn, () => this.#chat.release('continue')),
      button(stop, () => this.#chat.release('end')),
    )
  }
}
