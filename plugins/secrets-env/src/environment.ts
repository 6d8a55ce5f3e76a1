import { z } from 'zod'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Variables given in config. `inspect` prints configs, but not instances of a class; the same
 * record always gives the same instance, so that a reload finds the config unchanged.
 */
export class GivenEnvironment {
  readonly #variables: Variables
  static readonly #made = new WeakMap<Variables, GivenEnvironment>()

  private constructor(variables: Variables) {
    this.#variables = variables
  }

  static of(variables: Variables): GivenEnvironment {
    const known = this.#made.get(variables)
    if (known) return known
    const made = new GivenEnvironment(variables)
    this.#made.set(variables, made)
    return made
  }

  get(name: string): string | undefined {
    return Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined
  }
}

const isVariables = (value: unknown): value is Variables =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => one === undefined || typeof one === 'string')

/** A record of texts in the config, a {@link GivenEnvironment} afterwards. */
export const givenEnvironment = z
  .custom<Variables>(isVariables, 'a record of names and texts')
  .transform((variables) => GivenEnvironment.of(variables))
