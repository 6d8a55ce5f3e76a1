import { randomBytes } from 'node:crypto'
import type { FieldRestriction, RedactedValue } from '@amodal/sdk'
import { plainName } from './names.ts'

/** Random bytes of a handle. */
const BYTES = 4

/**
 * The redacted values of a session, derived anew for each run: the same value has the same handle
 * as long as the session lives.
 */
export class Ledger {
  readonly #redacted: readonly RedactedValue[]
  readonly #known = new Set<string>()
  readonly #handles = new Map<string, string>()
  readonly #taken = new Set<string>()
  #read = 0

  constructor(redacted: readonly RedactedValue[]) {
    this.#redacted = redacted
  }

  /** The record of a redacted value, with the handle that it had before. */
  entry(
    value: string,
    { entity, field, policy, sensitivity, allowedRoles }: FieldRestriction,
    connection: string,
  ): RedactedValue {
    this.#readOn()
    const common = {
      ...{ value, entity, field, policy, sensitivity, connection },
      ...(allowedRoles.length > 0 && { roles: allowedRoles }),
    }
    return policy === 'retrieve_but_redact' ? { ...common, handle: this.#handle(common) } : common
  }

  knows(one: RedactedValue): boolean {
    this.#readOn()
    return this.#known.has(nameOf(one))
  }

  #handle(one: RedactedValue): string {
    const name = nameOf(one)
    const known = this.#handles.get(name)
    if (known !== undefined) return known
    const what = [one.entity, ...one.field.split('.')].map((part) => plainName(part)).join('.')
    let handle = ''
    // Random, so that a handle neither reveals its value nor can be guessed.
    do handle = `[redacted:${what.replaceAll(/[^\w.]/g, '')}:${randomBytes(BYTES).toString('hex')}]`
    while (this.#taken.has(handle))
    this.#taken.add(handle)
    this.#handles.set(name, handle)
    return handle
  }

  /** Reads the values that were added to the session since the last time. */
  #readOn(): void {
    for (; this.#read < this.#redacted.length; this.#read++) {
      const one = this.#redacted[this.#read]
      if (!one) continue
      this.#known.add(nameOf(one))
      if (one.handle === undefined) continue
      this.#handles.set(nameOf(one), one.handle)
      this.#taken.add(one.handle)
    }
  }
}

const nameOf = ({ value, entity, field, policy, connection }: RedactedValue): string =>
  `${entity}\n${field}\n${policy}\n${connection ?? ''}\n${value}`
