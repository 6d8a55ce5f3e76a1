import type { SessionClient, SessionFile } from '@amodal/sdk/client'
import type { Texts } from '../texts.ts'
import { Attachments } from './attachments.ts'
import { button, h } from './dom.ts'

export interface ComposerOptions {
  readonly texts: Texts
  /** What takes files; `undefined` where none can go with a message. */
  readonly upload: SessionClient['upload'] | undefined
  readonly onSend: (text: string, files: readonly SessionFile[]) => void
  readonly onStop: () => void
}

/** What Safari sends as the code of the Enter that has ended a composition. */
const COMPOSED = 229

/** The field in which a person writes, with the files that go along. */
export class Composer {
  readonly element: HTMLFormElement
  readonly input: HTMLTextAreaElement
  readonly #options: ComposerOptions
  readonly #attachments: Attachments | undefined
  readonly #submit: HTMLButtonElement
  readonly #stop: HTMLButtonElement
  #isRunning = false

  constructor(options: ComposerOptions) {
    const { texts, upload, onStop } = options
    this.#options = options
    const attachments = upload && new Attachments(upload, texts, () => this.#update())
    this.#attachments = attachments
    this.input = h('textarea', {
      part: 'input',
      rows: '1',
      dir: 'auto',
      enterkeyhint: 'send',
      autocomplete: 'off',
      'aria-label': texts.message,
      placeholder: texts.placeholder,
      oninput: () => this.#update(),
      onkeydown: (event) => this.#onKey(event as KeyboardEvent),
      onpaste: (event) => this.#onPaste(event as ClipboardEvent),
    })
    this.#submit = h('button', { class: 'primary', part: 'send' }, texts.send)
    this.#stop = button(texts.stop, onStop, { part: 'stop' })
    this.element = h(
      'form',
      { class: 'composer', part: 'composer', onsubmit: (event) => this.#send(event) },
      attachments?.element,
      attachments && button('+', () => attachments.picker.click(), { 'aria-label': texts.attach }),
      attachments?.picker,
      this.input,
      this.#submit,
      this.#stop,
    )
    this.#update()
  }

  /** @param isRunning whether a turn runs that can be stopped */
  setRunning(isRunning: boolean): void {
    this.#isRunning = isRunning
    this.#update()
  }

  #update(): void {
    const { size = 0, files = [] } = this.#attachments ?? {}
    const hasContent = this.input.value.trim() !== '' || size > 0
    this.#submit.disabled = !hasContent || files.length < size
    this.#stop.hidden = !this.#isRunning || hasContent
    this.#submit.hidden = !this.#stop.hidden
  }

  #send(event: Event): void {
    event.preventDefault()
    this.#update()
    if (this.#submit.disabled) return
    this.#options.onSend(this.input.value.trim(), this.#attachments?.files ?? [])
    this.input.value = ''
    this.#attachments?.clear()
    this.#update()
  }

  #onKey(event: KeyboardEvent): void {
    const isComposing = event.isComposing || event.keyCode === COMPOSED
    if (event.key === 'Enter' && !event.shiftKey && !isComposing) this.#send(event)
  }

  #onPaste(event: ClipboardEvent): void {
    const files = event.clipboardData?.files
    if (!this.#attachments || !files || files.length === 0) return
    event.preventDefault()
    this.#attachments.add(files)
  }
}
