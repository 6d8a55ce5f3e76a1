import { err, failure, ok, type Failure, type Result, type Secrets } from '@amodal/sdk'
import type { Vault } from '../vault.ts'
import { readGrant, type Grant } from './grant.ts'

export interface KeptGrant {
  readonly version: number
  readonly grant: Grant
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Secrets that stay masked after they were replaced: what is under way may still show them. */
const MASKED = 12

/** The grant of one connection: read once, and again when it has changed. */
export class Grants {
  readonly name: string
  readonly #vault: Vault
  readonly #secrets: Pick<Secrets, 'protect'>
  #kept: KeptGrant | undefined
  #isRead = false
  #masked: { readonly value: string; readonly unmask: () => void }[] = []

  constructor(name: string, vault: Vault, secrets: Pick<Secrets, 'protect'>) {
    this.name = name
    this.#vault = vault
    this.#secrets = secrets
  }

  get lasting(): boolean {
    return this.#vault.lasting
  }

  /** As it was known last. */
  get known(): Grant | undefined {
    return this.#kept?.grant
  }

  current(): Outcome<KeptGrant | undefined> {
    return this.#isRead ? Promise.resolve(ok(this.#kept)) : this.read()
  }

  async read(): Outcome<KeptGrant | undefined> {
    const kept = await this.#vault.read(this.name)
    if (!kept.ok) return kept
    const grant = kept.value && readGrant(kept.value.text)
    if (kept.value && !grant)
      return err(failure('UNREADABLE', `what is kept of ${this.name} is of another form`))
    return ok(this.#take(kept.value && grant ? { version: kept.value.version, grant } : undefined))
  }

  async put(grant: Grant): Outcome<KeptGrant> {
    this.#mask(grant)
    const version = await this.#vault.put(this.name, JSON.stringify(grant))
    return version.ok ? ok(this.#take({ version: version.value, grant })) : version
  }

  /** @returns what there is instead, where another instance was faster */
  async replace(version: number, grant: Grant): Outcome<KeptGrant | undefined> {
    this.#mask(grant)
    const replaced = await this.#vault.replace(this.name, version, JSON.stringify(grant))
    if (!replaced.ok) return replaced
    return replaced.value === undefined
      ? this.read()
      : ok(this.#take({ version: replaced.value, grant }))
  }

  hold(version: number, seconds: number): Outcome<boolean> {
    return this.#vault.hold(this.name, version, seconds)
  }

  release(version: number): Outcome<void> {
    return this.#vault.release(this.name, version)
  }

  async remove(): Outcome<void> {
    const taken = await this.#vault.take(this.name)
    this.#take(undefined)
    return taken.ok ? ok(undefined) : taken
  }

  /** Another instance has changed it. */
  forget(): void {
    this.#isRead = false
  }

  close(): void {
    for (const { unmask } of this.#masked.splice(0)) unmask()
  }

  #take<T extends KeptGrant | undefined>(kept: T): T {
    this.#isRead = true
    this.#kept = kept
    if (kept) this.#mask(kept.grant)
    return kept
  }

  #mask({ tokens, client }: Grant): void {
    for (const value of [
      tokens?.access_token,
      tokens?.refresh_token,
      tokens?.id_token,
      client?.client_secret,
    ]) {
      if (typeof value !== 'string' || this.#masked.some((one) => one.value === value)) continue
      this.#masked.push({ value, unmask: this.#secrets.protect(value) })
    }
    while (this.#masked.length > MASKED) this.#masked.shift()?.unmask()
  }
}
