import { ok, type Failure, type PrincipalId, type Result } from '@amodal/sdk'
import { fullOf } from './full.ts'
import type { MemoryLimits } from './settings.ts'
import type { Memory, MemoryDraft, MemoryStore, AddOutcome } from './tokens.ts'

/** Notes by owner, for an agent without a database: they go with the process. */
export type NotesByOwner = Map<string, readonly Memory[]>

export class ProcessMemory implements MemoryStore {
  readonly #notes: NotesByOwner
  readonly #owner: string
  readonly #notedBy: PrincipalId
  readonly #limits: () => MemoryLimits

  /** @param owner tenant and owner, as one key of `notes` */
  constructor(
    notes: NotesByOwner,
    owner: string,
    notedBy: PrincipalId,
    limits: () => MemoryLimits,
  ) {
    this.#notes = notes
    this.#owner = owner
    this.#notedBy = notedBy
    this.#limits = limits
  }

  get #all(): readonly Memory[] {
    return this.#notes.get(this.#owner) ?? []
  }

  async add(draft: MemoryDraft): Promise<Result<AddOutcome, Failure>> {
    const known = this.#all.find(({ id, text }) => text === draft.text || id === draft.id)
    if (known) return ok({ kind: 'known', id: known.id })
    const full = fullOf(
      this.#all.map(({ text }) => text.length),
      draft.text.length,
      this.#limits(),
    )
    if (full) return ok(full)
    this.#notes.set(this.#owner, [
      ...this.#all,
      { ...draft, notedBy: this.#notedBy, at: new Date().toISOString() },
    ])
    return ok({ kind: 'kept', id: draft.id })
  }

  async list(): Promise<Result<readonly Memory[], Failure>> {
    return ok(this.#all)
  }

  async remove(id: string): Promise<Result<boolean, Failure>> {
    const left = this.#all.filter((one) => one.id !== id)
    const found = left.length < this.#all.length
    this.#put(left)
    return ok(found)
  }

  async clear(): Promise<Result<number, Failure>> {
    const { length } = this.#all
    this.#put([])
    return ok(length)
  }

  #put(notes: readonly Memory[]): void {
    if (notes.length === 0) this.#notes.delete(this.#owner)
    else this.#notes.set(this.#owner, notes)
  }
}
