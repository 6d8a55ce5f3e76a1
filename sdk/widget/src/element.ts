import { Chat } from './chat.ts'
import { STYLE } from './style.ts'
import { ENGLISH, type Texts } from './texts.ts'
import { button } from './view/dom.ts'
import type { RenderWidget } from './view/item.ts'
import { Panel } from './view/panel.ts'

/** Gives the token of the person who uses the page. */
export type GetToken = () => string | Promise<string>

/** Attributes after whose change another server, session or person is meant. */
const CONNECTION = ['url', 'token-url', 'scope', 'session', 'memory']
const LOOKS = ['heading', 'placeholder', 'welcome', 'position', 'no-attachments', 'texts']

/**
 * `<amodal-chat>`: a chat with an agent, in a shadow root of its own.
 *
 * Attributes: `url` of the server (default: that of the page), `token-url` where the page's server
 * gives tokens, `position` (`floating`, `inline`, `right`, `bottom`), `heading`, `placeholder`,
 * `welcome`, `open`, `session`, `scope`, `memory` (`local`, `session`, `none`), `theme` (`light`,
 * `dark`), `no-attachments`, `texts` (JSON). Events: `amodal-session` and `amodal-event`, with what
 * they are about as `detail`.
 *
 * @example
 * <amodal-chat url="https://agent.example" token-url="/agent-token" heading="Ask us"></amodal-chat>
 */
export class AmodalChatElement extends HTMLElement {
  static readonly observedAttributes = [...CONNECTION, ...LOOKS, 'open']
  #chat: Chat | undefined
  #panel: Panel | undefined
  #toggle: HTMLButtonElement | undefined
  #getToken: GetToken | undefined
  #renderWidget: RenderWidget | undefined
  #isQueued = false

  /** Called for the token of the person, in place of `token-url`. */
  set getToken(getToken: GetToken | undefined) {
    this.#getToken = getToken
    this.#restart()
  }

  /** Shows widgets of the agent in the page's own way. */
  set renderWidget(render: RenderWidget | undefined) {
    this.#renderWidget = render
    this.#rebuild()
  }

  get session(): string | undefined {
    return this.#chat?.snapshot.session
  }

  get open(): boolean {
    return this.hasAttribute('open')
  }
  set open(isOpen: boolean) {
    this.toggleAttribute('open', isOpen)
  }

  send(text: string): void {
    this.#chat?.send(text)
  }

  /** Leaves the session, and begins another one with the next message. */
  startNew(): void {
    this.#chat?.startNew()
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      this.#adoptProperties()
      const root = this.attachShadow({ mode: 'open' })
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(STYLE)
      root.adoptedStyleSheets = [sheet]
    }
    this.#update()
  }

  /** An element that is only moved is connected again before the microtask. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.#stop()
    })
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return
    if (name === 'open') this.#showOpen(true)
    else if (CONNECTION.includes(name)) this.#restart()
    else this.#rebuild()
  }

  /** What a page has set before it loaded the script hides the setters, so it is set anew. */
  #adoptProperties(): void {
    for (const name of ['getToken', 'renderWidget', 'open']) {
      if (!Object.hasOwn(this, name)) continue
      const value: unknown = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, value)
    }
  }

  #stop(): void {
    this.#chat?.close()
    this.#chat = undefined
    this.#rebuild()
  }

  #restart(): void {
    if (this.#chat) this.#stop()
  }

  /** Several changes at once build it once. */
  #rebuild(): void {
    this.#panel = undefined
    if (this.#isQueued) return
    this.#isQueued = true
    queueMicrotask(() => {
      this.#isQueued = false
      if (this.isConnected) this.#update()
      else this.shadowRoot?.replaceChildren()
    })
  }

  #update(): void {
    if (this.#panel) return
    this.#chat ??= this.#connect()
    const isFloating = this.#position === 'floating'
    const close = (): void => this.#close()
    const texts = this.#texts
    this.#panel = new Panel(this.#chat, {
      texts,
      welcome: this.getAttribute('welcome') ?? undefined,
      hasAttachments: !this.hasAttribute('no-attachments'),
      onClose: isFloating ? close : undefined,
      renderWidget: this.#renderWidget,
    })
    this.#toggle = isFloating
      ? button(texts.heading, () => (this.open = true), {
          class: 'toggle',
          part: 'toggle',
          'aria-haspopup': 'dialog',
          title: texts.open,
        })
      : undefined
    this.shadowRoot?.replaceChildren(...(this.#toggle ? [this.#toggle] : []), this.#panel.element)
    this.#showOpen(false)
  }

  get #position(): string {
    return this.getAttribute('position') ?? 'floating'
  }

  get #texts(): Texts {
    const [heading, placeholder] = ['heading', 'placeholder'].map((name) => this.getAttribute(name))
    return {
      ...ENGLISH,
      ...textsIn(this.getAttribute('texts')),
      ...(heading && { heading }),
      ...(placeholder && { placeholder }),
    }
  }

  #connect(): Chat {
    const attribute = (name: string): string | undefined => this.getAttribute(name) ?? undefined
    const memory = attribute('memory')
    return new Chat({
      url: new URL(attribute('url') ?? '/', location.href).href.replace(/\/+$/, ''),
      session: attribute('session'),
      scope: attribute('scope'),
      memory: memory === 'session' || memory === 'none' ? memory : 'local',
      tokens: this.#getToken ?? attribute('token-url'),
      onChange: () => {
        if (this.#chat) this.#panel?.show(this.#chat.snapshot)
      },
      onEvent: (event) => this.#dispatch('amodal-event', event),
      onSession: (session) => this.#dispatch('amodal-session', session),
    })
  }

  #close(): void {
    this.open = false
    this.#toggle?.focus()
  }

  #showOpen(hasChanged: boolean): void {
    if (!this.#panel) return
    const isOpen = this.open || !this.#toggle
    this.#panel.element.hidden = !isOpen
    if (this.#toggle) this.#toggle.hidden = isOpen
    if (hasChanged && isOpen) this.#panel.focus()
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
  }
}

function textsIn(json: string | null): Partial<Texts> {
  try {
    return JSON.parse(json ?? '{}') as Partial<Texts> // of the page itself
  } catch {
    return {}
  }
}

/** Makes `<amodal-chat>` known to the page; a second call does nothing. */
export function defineAmodalChat(): void {
  if (!customElements.get('amodal-chat')) customElements.define('amodal-chat', AmodalChatElement)
}
