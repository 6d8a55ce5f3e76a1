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
import { SHORTEST, spellings } from './encodings.ts'
import { Masker } from './masker.ts'

/** Looks a variable up in the process, or in what stands for it. */
export type Lookup = (name: string) => string | undefined

const REFERENCE = /^env:(.*)$/s
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
/** Short words by which environments name secrets, beside those that any name is judged by. */
const NAMED_SECRET = /(?:^|_)(?:KEY|PAT|DSN|AUTH|SALT|PIN)(?:_|$)/i

/**
 * Secrets from the environment and `.env` files. It remembers what it gave out, so that it can mask
 * it.
 */
export class EnvSecrets implements Secrets {
  readonly #process: Lookup
  readonly #files = new Map<string, ReadonlyMap<string, string>>()
  readonly #values = new Set<string>()
  #masker: Masker | undefined

  constructor(process: Lookup) {
    this.#process = process
  }

  get(name: string): string | undefined {
    const value = this.#lookup(name)
    if (value !== undefined) this.#remember(value, isSecretName(name) || NAMED_SECRET.test(name))
    return value
  }

  resolve(text: string, where: string): Result<string, Failure> {
    const name = REFERENCE.exec(text)?.[1]
    if (name === undefined) return ok(text)
    if (!NAME.test(name))
      return err(
        failure('ENV_NOT_SET', `"env:" in ${where} is not followed by the name of a variable`, {
          details: { where },
        }),
      )
    const value = this.#lookup(name)
    // A variable that is set to nothing is one that somebody forgot to fill in.
    if (value === undefined || value === '')
      return err(
        failure('ENV_NOT_SET', `${name} is not set, and ${where} needs it`, {
          details: { variable: name, where },
        }),
      )
    this.#remember(value, true)
    return ok(value)
  }

  load({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
    const { variables, problems } = parseDotEnv(text)
    this.#files.set(path, variables)
    return problems.map(({ line, message }) => `${path}:${line}: ${message}`)
  }

  values(): readonly string[] {
    return [...this.#values]
  }

  mask(text: string): string {
    return this.#words().mask(text)
  }

  /** Up to where a text that comes in pieces can be masked. */
  settled(text: string): number {
    return this.#words().settled(text)
  }

  #words(): Masker {
    this.#masker ??= new Masker([...this.#values].flatMap(spellings))
    return this.#masker
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
   * An address may hold a password whatever it is called, and libraries like to repeat it without
   * the address.
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
