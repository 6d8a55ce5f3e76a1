import {
  err,
  failure,
  isSecretName,
  ok,
  type Failure,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import { parseDotEnv } from './dotenv.ts'
import { SHORTEST, encodingsOf } from './encodings.ts'
import { Masker } from './masker.ts'

/** Looks up a variable in the process environment or its replacement. */
export type Lookup = (name: string) => string | undefined

const REFERENCE = /^env:(.*)$/s
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
/** Further words in names of environment variables that mark a secret. */
const NAMED_SECRET = /(?:^|_)(?:KEY|PAT|DSN|AUTH|SALT|PIN)(?:_|$)/i

/**
 * Secrets from the environment and `.env` files. It remembers every value it returned, in order to
 * mask it.
 */
export class EnvSecrets implements Secrets {
  readonly #process: Lookup
  readonly #files = new Map<string, ReadonlyMap<string, string>>()
  readonly #values = new Set<string>()
  /** Values from elsewhere, each as often as it is protected. */
  readonly #protected = new Map<string, number>()
  #masker: Masker | undefined

  readonly #hint: string

  /** @param hint what to do about a variable that is not set */
  constructor(process: Lookup, hint?: string) {
    this.#process = process
    this.#hint = hint === undefined ? '' : `: ${hint}`
  }

  get(name: string): string | undefined {
    const value = this.#lookup(name)
    if (value !== undefined) this.#remember(value, isSecretName(name) || NAMED_SECRET.test(name))
    return value
  }

  resolve(
    text: string,
    where: string,
    kind: 'secret' | 'address' = 'secret',
  ): Result<string, Failure> {
    const name = REFERENCE.exec(text)?.[1]
    if (name === undefined) return ok(text)
    if (!NAME.test(name))
      return err(
        failure('ENV_NOT_SET', `"env:" in ${where} is not followed by the name of a variable`, {
          details: { where },
        }),
      )
    const value = this.#lookup(name)
    // An empty variable counts as not set.
    if (value === undefined || value === '')
      return err(
        failure('ENV_NOT_SET', `${name} is not set, and ${where} needs it${this.#hint}`, {
          details: { variable: name, where },
        }),
      )
    const isAddress = kind === 'address' && URL.canParse(value)
    this.#remember(value, !isAddress || isSecretName(name))
    if (isAddress) for (const one of new URL(value).searchParams.values()) this.#remember(one, true)
    return ok(value)
  }

  load({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
    const { variables, problems } = parseDotEnv(text)
    this.#files.set(path, variables)
    return problems.map(({ line, message }) => `${path}:${line}: ${message}`)
  }

  values(): readonly string[] {
    return [...new Set([...this.#values, ...this.#protected.keys()])]
  }

  protect(value: string): () => void {
    if (value.length < SHORTEST) return () => undefined
    this.#count(value, 1)
    let isProtected = true
    return () => {
      if (isProtected) this.#count(value, -1)
      isProtected = false
    }
  }

  mask(text: string): string {
    return this.#words().mask(text)
  }

  /** How much of an unfinished text can be masked now. */
  redactableLength(text: string): number {
    return this.#words().redactableLength(text)
  }

  #words(): Masker {
    this.#masker ??= new Masker(this.values().flatMap(encodingsOf))
    return this.#masker
  }

  #count(value: string, more: 1 | -1): void {
    const count = (this.#protected.get(value) ?? 0) + more
    if (count > 0) this.#protected.set(value, count)
    else this.#protected.delete(value)
    this.#masker = undefined
  }

  #lookup(name: string): string | undefined {
    const given = this.#process(name)
    if (given !== undefined) return given
    for (const variables of this.#files.values()) {
      const value = variables.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }

  /**
   * A URL may contain a password whatever its variable is called, and libraries may repeat the
   * password without the URL.
   */
  #remember(value: string, secret: boolean): void {
    const password = passwordIn(value)
    for (const one of [secret ? value : undefined, password]) {
      if (one === undefined || one.length < SHORTEST || this.#values.has(one)) continue
      this.#values.add(one)
      this.#masker = undefined
    }
  }
}

function passwordIn(value: string): string | undefined {
  if (!value.includes('://')) return undefined
  const encoded = URL.parse(value)?.password
  if (!encoded) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
