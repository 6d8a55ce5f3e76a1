import type { SessionClient, SessionFile } from '@amodal/sdk/client'
import type { Texts } from '../texts.ts'
import { button, h } from './dom.ts'

interface Attachment {
  readonly chip: Element
  file?: SessionFile
}

/** Files that go with the next message, uploaded as soon as they are picked. */
export class Attachments {
  readonly element = h('div', { class: 'chips' })
  readonly picker = h('input', { type: 'file', multiple: true, hidden: true })
  readonly #list = new Set<Attachment>()
  readonly #upload: SessionClient['upload']
  readonly #texts: Texts
  readonly #onChange: () => void

  constructor(upload: SessionClient['upload'], texts: Texts, onChange: () => void) {
    this.#upload = upload
    this.#texts = texts
    this.#onChange = onChange
    this.picker.addEventListener('change', () => {
      this.add(this.picker.files ?? [])
      this.picker.value = ''
    })
  }

  get size(): number {
    return this.#list.size
  }
  /** Those that are uploaded. */
  get files(): readonly SessionFile[] {
    return [...this.#list].flatMap(({ file }) => file ?? [])
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const name = h('span', {}, file.name)
      const chip = h('span', { class: 'chip' }, name)
      const attachment: Attachment = { chip }
      const remove = `${this.#texts.remove} ${file.name}`
      chip.append(button('×', () => this.#remove(attachment), { 'aria-label': remove }))
      this.element.append(chip)
      this.#list.add(attachment)
      this.#upload(file).then(
        (uploaded) => {
          attachment.file = uploaded
          this.#onChange()
        },
        (cause: unknown) => {
          chip.setAttribute('data-state', 'failed')
          name.append(`: ${cause instanceof Error ? cause.message : String(cause)}`)
        },
      )
    }
    this.#onChange()
  }

  clear(): void {
    for (const attachment of this.#list) this.#remove(attachment)
  }

  #remove(attachment: Attachment): void {
    this.#list.delete(attachment)
    attachment.chip.remove()
    this.#onChange()
  }
}
